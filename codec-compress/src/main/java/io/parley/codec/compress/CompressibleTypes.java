package io.parley.codec.compress;

import io.parley.message.MessageElement;
import java.util.Locale;
import java.util.Set;

/** The elements that may become smaller, by their size and type. */
final class CompressibleTypes {

    /** Shorter contents hardly become smaller: header and trailer alone have 18 bytes. */
    private static final int MIN_BYTES = 64;

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

    private CompressibleTypes() {}

    static boolean includes(MessageElement element) {
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
}
