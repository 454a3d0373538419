/** The entry point of the library: {@link io.parley.Peer} and its builder. */
@NullMarked
package io.parley;

import org.jspecify.annotations.NullMarked;
