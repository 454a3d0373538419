package io.parley.codec.xml.fastinfoset;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** How a Fast Infoset document begins: four octets, before which one of nine XML declarations may stand (X.891, 12.3). */
final class DocumentHeader {
    private static final byte[] XML = "<?xml".getBytes(StandardCharsets.US_ASCII);
    private static final List<byte[]> DECLARATIONS = Stream.of("", " standalone='no'", " standalone='yes'")
            .flatMap(standalone -> Stream.of("", " version='1.0'", " version='1.1'")
                    .map(version -> "<?xml" + version + " encoding='finf'" + standalone + "?>"))
            .map(declaration -> declaration.getBytes(StandardCharsets.US_ASCII))
            .toList();

    private DocumentHeader() {}

    /** Skips the beginning of a document; false, with nothing skipped, when there is none. */
    static boolean skip(FastInfosetInput in) {
        return !in.startsWithZero() && skipBeginning(in); // most messages go on where the one before has ended
    }

    private static boolean skipBeginning(FastInfosetInput in) {
        if (in.startsWith(XML)) {
            boolean known = false;
            for (int i = 0; i < DECLARATIONS.size() && !known; i++) {
                known = in.skip(DECLARATIONS.get(i));
            }
            if (!known || !in.skip(FastInfosetFormat.header())) {
                throw in.malformed("document: begins like XML (expected: one of the nine declarations of X.891, 12.3, "
                        + "and e0 00 00 01)");
            }
            return true;
        }
        return in.skip(FastInfosetFormat.header());
    }
}
