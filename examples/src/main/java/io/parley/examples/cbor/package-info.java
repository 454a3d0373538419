/**
 * A message codec of one's own: messages in CBOR (RFC 8949). {@code docs/codecs.md} goes through it; read {@link
 * io.parley.examples.cbor.CborMessageCodec} first.
 */
@NullMarked
package io.parley.examples.cbor;

import org.jspecify.annotations.NullMarked;
