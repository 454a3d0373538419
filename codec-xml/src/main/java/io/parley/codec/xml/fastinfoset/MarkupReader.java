package io.parley.codec.xml.fastinfoset;

import io.parley.error.ParleyException;

/**
 * Reads the document properties, and skips comments and processing instructions before the root and between elements.
 */
final class MarkupReader {
    private final FastInfosetInput in;
    private final VocabularyReader vocabulary;
    private final ChunkReader chunks;

    MarkupReader(FastInfosetInput in, VocabularyReader vocabulary, ChunkReader chunks) {
        this.in = in;
        this.vocabulary = vocabulary;
        this.chunks = chunks;
    }

    static boolean isElement(int b) {
        return b < 0x80;
    }

    static boolean isEnd(int b) {
        return b == FastInfosetFormat.END || b == FastInfosetFormat.END_TWICE;
    }

    /** Reads the items before the root element (C.2) and returns the first octet of the root element. */
    int readToRoot(boolean document) {
        readProperties(document);
        int b = next("root element");
        if (b == FastInfosetFormat.BARE_DOCTYPE) {
            skipBareDoctype();
            b = next("root element");
        }
        if (!isElement(b)) {
            throw unexpected("root element", b);
        }
        return b;
    }

    private void readProperties(boolean document) {
        int properties = in.u8("document properties");
        if ((properties & 0x80) != 0 || (!document && properties != 0)) {
            throw in.malformed(String.format(
                    "document properties: %02x (expected: %s)",
                    properties, document ? "<= 7f" : "00, or a document with the header e0 00 00 01"));
        }
        if (properties == 0) {
            return;
        }
        if ((properties & 0x40) != 0) {
            for (int left = in.count("additional data"); left > 0; left--) {
                vocabulary.skipOctets("additional data");
                vocabulary.skipOctets("additional data");
            }
        }
        if ((properties & 0x20) != 0) {
            vocabulary.readInitialVocabulary(chunks);
        }
        if ((properties & 0x10) != 0) {
            throw in.unsupported("notation");
        }
        if ((properties & 0x08) != 0) {
            throw in.unsupported("unparsed entity");
        }
        if ((properties & 0x04) != 0) {
            vocabulary.skipOctets("character encoding scheme");
        }
        if ((properties & 0x02) != 0 && in.u8("standalone") > 1) {
            throw in.malformed("standalone: neither 00 nor 01");
        }
        if ((properties & 0x01) != 0) {
            vocabulary.skipString("XML version");
        }
    }

    /** Skips {@code <!DOCTYPE Message>}, which has neither declarations nor external ids. The specification uses it. */
    private void skipBareDoctype() {
        if (in.u8("document type declaration") != FastInfosetFormat.END) {
            throw in.unsupported("document type declaration with content");
        }
    }

    /** Returns the next octet that does not start a comment or a processing instruction. Skips those items. */
    int next(String field) {
        while (true) {
            int b = in.u8(field);
            if (b == FastInfosetFormat.COMMENT) {
                vocabulary.skipComment();
            } else if (b == FastInfosetFormat.PROCESSING_INSTRUCTION) {
                vocabulary.skipProcessingInstruction();
            } else {
                return b;
            }
        }
    }

    /** Returns the exception for an octet that is not the expected one. */
    ParleyException unexpected(String expected, int b) {
        return switch (b & 0xFC) {
            case 0xC4 -> in.unsupported("document type declaration");
            case 0xC8 -> in.unsupported("entity reference");
            default -> in.malformed(String.format("octet %02x (expected: %s)", b, expected));
        };
    }
}
