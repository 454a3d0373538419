/**
 * Compression of chosen elements of a message. Nothing is here yet: the module keeps its place until the encodings are
 * written.
 */
@NullMarked
package io.parley.codec.compress;

import org.jspecify.annotations.NullMarked;
