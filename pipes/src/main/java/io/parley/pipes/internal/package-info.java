/** What {@link java.util.ServiceLoader} creates for {@link io.parley.pipes}. Not API. */
@NullMarked
package io.parley.pipes.internal;

import org.jspecify.annotations.NullMarked;
