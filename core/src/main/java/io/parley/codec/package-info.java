/**
 * How messages become bytes and back. Start with {@link io.parley.codec.MessageCodec}; the format that is always there
 * is JXTA's binary one, {@link io.parley.codec.BinaryMessageCodec}, written down in {@code docs/wire-format.md}. Others
 * come from the class path, see {@link io.parley.codec.internal.MessageCodecRegistry}.
 *
 * <p>Codecs may be used from any thread. A {@linkplain io.parley.codec.CodecSession session} belongs to one direction of
 * one channel and is used by one thread at a time, unless its codec promises more.
 */
@NullMarked
package io.parley.codec;

import org.jspecify.annotations.NullMarked;
