/**
 * Encoding of selected elements of a message, such as compression or encryption; all other elements are sent unchanged.
 * Start with {@link io.parley.encoding.EncodingScheme}, which has one implementation per encoding. The framework applies
 * schemes to messages and marks encoded elements by their names, see {@code docs/wire-format.md}.
 *
 * <p>Encoders and decoders belong to one direction of one channel each, because a scheme may keep state.
 */
@NullMarked
package io.parley.encoding;

import org.jspecify.annotations.NullMarked;
