/**
 * How chosen elements of a message are encoded on their way, by compression, encryption or another form of the same
 * content, while all others pass untouched. Start with {@link io.parley.encoding.EncodingScheme}, of which there is one
 * per way of encoding; {@link io.parley.encoding.internal.ElementEncoder} and {@link io.parley.encoding.internal.ElementDecoder} apply
 * schemes to whole messages and mark what is encoded, see {@code docs/wire-format.md}.
 *
 * <p>Encoders and decoders belong to one direction of one channel each, because a scheme may remember what it has seen.
 */
@NullMarked
package io.parley.encoding;

import org.jspecify.annotations.NullMarked;
