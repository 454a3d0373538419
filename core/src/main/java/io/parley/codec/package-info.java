/**
 * Encoding and decoding of messages. Start with {@link io.parley.codec.MessageCodec}. The format that is always
 * available is the binary format of JXTA, {@link io.parley.codec.internal.BinaryMessageCodec}, specified in
 * {@code docs/wire-format.md}. Other codecs are loaded from the class path.
 *
 * <p>Codecs are thread-safe. A {@linkplain io.parley.codec.CodecSession session} belongs to one direction of one channel
 * and is used by one thread at a time, unless its codec is stateless.
 */
@NullMarked
package io.parley.codec;

import org.jspecify.annotations.NullMarked;
