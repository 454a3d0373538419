package io.parley.codec.xml.fastinfoset;

import io.parley.error.ParleyException;

/** Reads what stands in front of the root and between elements, and tells what comes next. */
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

    /** Reads up to the root (C.2); the octet that begins it. */
    int readToRoot(boolean document) {
        readProperties(document);
        int b = next("root element");
        if (b == FastInfosetFormat.BARE_DOCTYPE) {
            skipBareDoctype();
            b = next("root element");
        }
        if (!isElement(b)) {
            throw refused("root element", b);
        }
        return b;
    }

    private void readProperties(boolean document) {
        int properties = in.u8("document properties");
        if ((properties & 0x80) != 0 || (!document && properties != 0)) {
            throw in.malformed(String.format(
                    "document properties: %02x (expected: %s)",
                    properties, document ? "at most 7f" : "00, or a document with its header e0 00 00 01"));
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
            throw in.refused("notation");
        }
        if ((properties & 0x08) != 0) {
            throw in.refused("unparsed entity");
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

    /** {@code <!DOCTYPE Message>}, as in the specification's examples: it declares nothing and points nowhere. */
    private void skipBareDoctype() {
        if (in.u8("document type declaration") != FastInfosetFormat.END) {
            throw in.refused("document type declaration with content");
        }
    }

    /** The next octet that does not begin a comment or a processing instruction. */
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

    /** The fault that such an octet is, where something else is expected. */
    ParleyException refused(String expected, int b) {
        return switch (b & 0xFC) {
            case 0xC4 -> in.refused("document type declaration");
            case 0xC8 -> in.refused("entity reference");
            default -> in.malformed(String.format("octet %02x (expected: %s)", b, expected));
        };
    }
}
