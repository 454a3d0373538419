package io.parley.codec.compress;

import io.parley.encoding.EncodingScheme;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Compresses elements with gzip (RFC 1952). Each element is a gzip file of its own, so any program can expand it. An element is sent
 * unencoded if gzip does not make it smaller.
 *
 * <p>Elements of fewer than 64 bytes are not accepted, and neither are those whose type names a compressed format, such as an image, a
 * video or an archive. Stateless and thread-safe.
 */
public final class GzipEncodingScheme implements EncodingScheme {

    /** Shorter contents hardly become smaller: header and trailer alone have 18 bytes. */
    private static final int MIN_BYTES = 64;

    /** Compressed in about 0.05 ms. */
    private static final int EVENT_LOOP_BYTES = 4096;

    private static final Set<String> COMPRESSED_KINDS = Set.of("audio", "image", "video");

    private static final Set<String> COMPRESSED_TYPES = Set.of(
            "application/gzip",
            "application/java-archive",
            "application/vnd.rar",
            "application/x-7z-compressed",
            "application/x-bzip2",
            "application/x-gzip",
            "application/x-xz",
            "application/zip",
            "application/zstd");

    @Override
    public String name() {
        return "gzip";
    }

    @Override
    public boolean accepts(MessageElement element) {
        return element.size() >= MIN_BYTES && element.size() < Integer.MAX_VALUE && !isCompressed(element.type());
    }

    /** Images in XML and in the uncompressed format of Windows are as compressible as text. */
    private static boolean isCompressed(String type) {
        int end = type.indexOf(';');
        String plain = (end < 0 ? type : type.substring(0, end)).toLowerCase(Locale.ROOT);
        if (plain.endsWith("+xml") || plain.equals("image/bmp")) {
            return false;
        }
        return COMPRESSED_TYPES.contains(plain) || COMPRESSED_KINDS.contains(plain.substring(0, plain.indexOf('/')));
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
    public int maxEventLoopBytes() {
        return EVENT_LOOP_BYTES;
    }
}
