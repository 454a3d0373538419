/**
 * Reserved for encoding schemes that compress selected elements of a message. The package has no classes yet.
 */
@NullMarked
package io.parley.codec.compress;

import org.jspecify.annotations.NullMarked;
