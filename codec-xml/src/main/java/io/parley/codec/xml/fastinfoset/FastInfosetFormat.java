package io.parley.codec.xml.fastinfoset;

import io.parley.codec.xml.internal.FormNames;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What writer and reader of messages share: octets of X.891 and the bounds of what is remembered. */
final class FastInfosetFormat {
    /** The first four octets of a document: identification and version. */
    private static final byte[] HEADER = {(byte) 0xE0, 0, 0, 1};

    // -- octets that begin something (X.891, clause 12 and annex C)
    static final int ATTRIBUTES_FLAG = 0x40;
    static final int ELEMENT_LITERAL = 0x3C;
    static final int ELEMENT_NAMESPACES = 0x38;
    static final int ATTRIBUTE_LITERAL = 0x78;
    static final int NAMESPACE_ATTRIBUTE = 0xCC;
    static final int CHUNK_LITERAL = 0x80;
    static final int CHUNK_ADD = 0x10;
    static final int CHUNK_ALGORITHM = 0x0C;
    static final int CHUNK_INDEX = 0xA0;
    static final int VALUE_INDEX = 0x80;
    static final int VALUE_ADD = 0x40;
    static final int VALUE_EMPTY = 0xFF;
    static final int PROCESSING_INSTRUCTION = 0xE1;
    static final int COMMENT = 0xE2;
    /** A document type declaration without external ids. */
    static final int BARE_DOCTYPE = 0xC4;
    /** The end of something, in the left half of an octet; the right half is the end of the next or nothing. */
    static final int END = 0xF0;

    static final int END_TWICE = 0xFF;

    // -- encoding algorithms (X.891, clause 10), as they stand on the wire
    static final int BASE64 = 1;
    static final int CDATA = 9;

    // -- the tables of this format's documents, in the order in which a writer comes to use the names
    static final int INDEX_MESSAGE = 0;
    static final int INDEX_ELEMENT = 1;
    static final int INDEX_VERSION = 0;
    static final int INDEX_NAME = 1;
    static final int INDEX_TYPE = 2;
    static final int INDEX_ENCODING = 3;

    // -- bounds, a part of the format: docs/wire-format.md
    /** Entries in each table of names. */
    static final int MAX_NAMES = 64;
    /** Entries in the table of attribute values, and their bytes in UTF-8. */
    static final int MAX_VALUES = 512;

    static final int MAX_VALUES_BYTES = 16 * 1024;
    /** Entries in the table of character chunks, and their bytes: UTF-8, or octets that stand for base64. */
    static final int MAX_CHUNKS = 1024;

    static final int MAX_CHUNKS_BYTES = 32 * 1024;
    /** Entries in each table of strings that mean nothing to a message: contents of comments and the like. */
    static final int MAX_IGNORED = 1024;

    private FastInfosetFormat() {}

    static byte[] header() {
        return HEADER;
    }

    /** The names in a message's document. */
    enum Name {
        MESSAGE(FormNames.MESSAGE),
        ELEMENT(FormNames.ELEMENT),
        VERSION(FormNames.VERSION),
        NAME(FormNames.NAME),
        TYPE(FormNames.TYPE),
        ENCODING(FormNames.ENCODING);

        private static final Name[] ALL = values();

        private final byte[] utf8;

        Name(String name) {
            this.utf8 = name.getBytes(StandardCharsets.UTF_8);
        }

        /** The name in a range that was read, {@code null} when it is another one. */
        static @Nullable Name find(FastInfosetInput in, int offset, int length) {
            for (Name name : ALL) {
                if (in.isAt(offset, length, name.utf8)) {
                    return name;
                }
            }
            return null;
        }

        byte[] utf8() {
            return utf8;
        }
    }
}
