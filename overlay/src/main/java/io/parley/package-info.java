/** The one class a newcomer meets: {@link io.parley.Peer}, and its builder. */
@NullMarked
package io.parley;

import org.jspecify.annotations.NullMarked;
