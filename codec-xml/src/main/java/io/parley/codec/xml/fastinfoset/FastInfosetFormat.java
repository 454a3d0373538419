package io.parley.codec.xml.fastinfoset;

import io.parley.codec.xml.internal.FormNames;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The constants of the format: octets of X.891 and the bounds of the tables. */
final class FastInfosetFormat {
    /** The first four octets of a document: identification and version. */
    private static final byte[] HEADER = {(byte) 0xE0, 0, 0, 1};

    // -- initial octets of items (X.891, clause 12 and annex C)
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
    /** The end of an item, in the high half of an octet. The low half is the end of another item, or zero. */
    static final int END = 0xF0;

    static final int END_TWICE = 0xFF;

    // -- encoding algorithms (X.891, clause 10), as encoded on the wire
    static final int BASE64 = 1;
    static final int CDATA = 9;

    // -- indices of the names in the tables of a document, in the order in which a writer uses the names
    static final int INDEX_MESSAGE = 0;
    static final int INDEX_ELEMENT = 1;
    static final int INDEX_VERSION = 0;
    static final int INDEX_NAME = 1;
    static final int INDEX_TYPE = 2;
    static final int INDEX_ENCODING = 3;

    // -- bounds, which are part of the format: docs/wire-format.md
    /** The maximum number of entries in each table of names. */
    static final int MAX_NAMES = 64;
    /** The maximum number of attribute values, and their maximum total length in bytes of UTF-8. */
    static final int MAX_VALUES = 512;

    static final int MAX_VALUES_BYTES = 16 * 1024;
    /** The maximum number of character chunks, and their maximum total length in bytes of UTF-8 or of octets. */
    static final int MAX_CHUNKS = 1024;

    static final int MAX_CHUNKS_BYTES = 32 * 1024;
    /** The maximum number of entries in each table that the format does not use, such as the contents of comments. */
    static final int MAX_IGNORED = 1024;

    private FastInfosetFormat() {}

    static byte[] header() {
        return HEADER;
    }

    /** The names in the document of a message. */
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

        /** Returns the name in a range of the input, or {@code null} if it is not a name of the format. */
        static @Nullable Name find(FastInfosetInput in, int offset, int length) {
            for (Name name : ALL) {
                if (in.matches(offset, length, name.utf8)) {
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
