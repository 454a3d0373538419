package io.parley.codec.xml.fastinfoset;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/**
 * The header of a Fast Infoset document: four octets, optionally preceded by one of nine XML declarations (X.891,
 * 12.3).
 */
final class DocumentHeader {
    private static final byte[] XML = "<?xml".getBytes(StandardCharsets.US_ASCII);
    private static final List<byte[]> DECLARATIONS = Stream.of("", " standalone='no'", " standalone='yes'")
            .flatMap(standalone -> Stream.of("", " version='1.0'", " version='1.1'")
                    .map(version -> "<?xml" + version + " encoding='finf'" + standalone + "?>"))
            .map(declaration -> declaration.getBytes(StandardCharsets.US_ASCII))
            .toList();

    private DocumentHeader() {}

    /** Skips a header. Returns false and skips nothing if there is none. */
    static boolean skip(FastInfosetInput in) {
        return !in.startsWithZero() && skipHeader(in); // most messages continue the previous one and start with zero
    }

    private static boolean skipHeader(FastInfosetInput in) {
        if (in.startsWith(XML)) {
            boolean known = false;
            for (int i = 0; i < DECLARATIONS.size() && !known; i++) {
                known = in.skip(DECLARATIONS.get(i));
            }
            if (!known || !in.skip(FastInfosetFormat.header())) {
                throw in.malformed(
                        "document: unknown XML declaration (expected: one of the nine declarations of X.891, "
                                + "12.3, and e0 00 00 01)");
            }
            return true;
        }
        return in.skip(FastInfosetFormat.header());
    }
}
