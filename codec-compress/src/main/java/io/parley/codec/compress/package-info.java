/** Encoding schemes that compress selected elements of a message. */
@NullMarked
package io.parley.codec.compress;

import org.jspecify.annotations.NullMarked;
