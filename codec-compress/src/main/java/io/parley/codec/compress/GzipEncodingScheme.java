package io.parley.codec.compress;

import io.parley.codec.compress.internal.GzipFormat;
import io.parley.encoding.EncodingScheme;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.Optional;

/**
 * Compresses elements with gzip (RFC 1952). Each element is a gzip file of its own, so any program can expand it. An element is sent
 * unencoded if gzip does not make it smaller.
 *
 * <p>Elements of fewer than 64 bytes are not accepted, and neither are those whose type names a compressed format, such as an image, a
 * video or an archive. Stateless and thread-safe.
 */
public final class GzipEncodingScheme implements EncodingScheme {

    /** Compressed in about 0.05 ms. */
    private static final int EVENT_LOOP_BYTES = 4096;

    @Override
    public String name() {
        return "gzip";
    }

    @Override
    public boolean accepts(MessageElement element) {
        return CompressibleTypes.includes(element);
    }

    @Override
    public Optional<Payload> encode(MessageElement element) {
        return GzipFormat.compress(element.payload());
    }

    @Override
    public Payload decode(MessageElement element, long maxBytes) {
        return GzipFormat.expand(element.payload(), maxBytes);
    }

    @Override
    public long maxDecodedBytes(MessageElement element) {
        return GzipFormat.statedSize(element.payload());
    }

    @Override
    public int maxEventLoopBytes() {
        return EVENT_LOOP_BYTES;
    }
}
