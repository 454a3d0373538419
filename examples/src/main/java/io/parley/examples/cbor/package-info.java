/**
 * An example of a message codec: messages in CBOR (RFC 8949). {@code docs/codecs.md} explains it; {@link
 * io.parley.examples.cbor.CborMessageCodec} is the entry point.
 */
@NullMarked
package io.parley.examples.cbor;

import org.jspecify.annotations.NullMarked;
