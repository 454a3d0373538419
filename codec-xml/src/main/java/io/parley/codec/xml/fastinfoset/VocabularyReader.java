package io.parley.codec.xml.fastinfoset;

import io.parley.codec.xml.fastinfoset.DecoderVocabulary.CountedTable;
import io.parley.codec.xml.fastinfoset.DecoderVocabulary.NameTable;
import io.parley.codec.xml.fastinfoset.FastInfosetFormat.Name;
import org.jspecify.annotations.Nullable;

/**
 * Reads the items of a document that refer to a table or are added to one: names, attribute values, and strings that
 * the message format does not use.
 */
final class VocabularyReader {
    private static final int PREFIX_FLAG = 2;
    private static final int NAMESPACE_FLAG = 1;
    private static final int INDEX_FLAG = 0x80;

    private final FastInfosetInput in;
    private final DecoderVocabulary vocabulary;
    private final int maxValueBytes;

    /** @param maxValueBytes the length of the longest attribute value, also of an unknown attribute */
    VocabularyReader(FastInfosetInput in, DecoderVocabulary vocabulary, int maxValueBytes) {
        this.in = in;
        this.vocabulary = vocabulary;
        this.maxValueBytes = maxValueBytes;
    }

    // -- names

    /** Reads the name of an element, which starts on the third bit of {@code b} (C.18). */
    @Nullable
    Name elementName(int b) {
        if ((b & FastInfosetFormat.ELEMENT_LITERAL) == FastInfosetFormat.ELEMENT_LITERAL) {
            Name name = literalName(b);
            vocabulary.elementNames().add(name, in);
            return name;
        }
        return vocabulary.elementNames().get(in.indexOnBit3(b, "element name"), in);
    }

    /** Reads the name of an attribute, which starts on the second bit of {@code b} (C.17). */
    @Nullable
    Name attributeName(int b) {
        if ((b & ~(PREFIX_FLAG | NAMESPACE_FLAG)) == FastInfosetFormat.ATTRIBUTE_LITERAL) {
            Name name = literalName(b);
            vocabulary.attributeNames().add(name, in);
            return name;
        }
        return vocabulary.attributeNames().get(in.indexOnBit2(b, "attribute name"), in);
    }

    /**
     * Reads a literal name. As in the XML text format, a name with a prefix is a different name, and a namespace
     * without a prefix is ignored.
     */
    private @Nullable Name literalName(int flags) {
        boolean hasPrefix = (flags & PREFIX_FLAG) != 0;
        boolean hasNamespace = (flags & NAMESPACE_FLAG) != 0;
        if (hasPrefix) {
            if (!hasNamespace) {
                throw in.malformed("name: has a prefix (expected: a namespace name with it)");
            }
            skipIdentifyingString(vocabulary.prefixes(), "prefix");
        }
        if (hasNamespace) {
            skipIdentifyingString(vocabulary.namespaces(), "namespace name");
        }
        Name name = localName();
        return hasPrefix ? null : name;
    }

    private @Nullable Name localName() {
        int b = in.u8("local name");
        return b < INDEX_FLAG ? literalLocalName(b) : vocabulary.localNames().get(in.indexOnBit2(b, "local name"), in);
    }

    private @Nullable Name literalLocalName(int b) {
        int length = in.lengthOnBit2(b, "local name");
        int offset = in.advance(length);
        Name name = Name.find(in, offset, length);
        vocabulary.localNames().add(name, in);
        return name;
    }

    /** Skips the namespace attributes of an element (C.12), including their end. */
    void skipNamespaceAttributes() {
        int b = in.u8("namespace attribute");
        while ((b & 0xFC) == FastInfosetFormat.NAMESPACE_ATTRIBUTE) {
            if ((b & PREFIX_FLAG) != 0) {
                skipIdentifyingString(vocabulary.prefixes(), "prefix");
            }
            if ((b & NAMESPACE_FLAG) != 0) {
                skipIdentifyingString(vocabulary.namespaces(), "namespace name");
            }
            b = in.u8("namespace attribute");
        }
        if (b != FastInfosetFormat.END) {
            throw in.undefined("namespace attribute", b);
        }
    }

    private void skipIdentifyingString(CountedTable table, String field) {
        int b = in.u8(field);
        if (b >= INDEX_FLAG) {
            table.checkIndex(in.indexOnBit2(b, field), in);
        } else {
            in.advance(in.lengthOnBit2(b, field));
            table.add(in);
        }
    }

    // -- strings

    /** Reads the value of an attribute (C.14). */
    AttributeValue attributeValue() {
        int b = in.u8("attribute value");
        if (b == FastInfosetFormat.VALUE_EMPTY) {
            return vocabulary.emptyValue();
        }
        if (b >= INDEX_FLAG) {
            return vocabulary.value(in.indexOnBit2(b, "attribute value"), in);
        }
        AttributeValue value = literalValue(b);
        if ((b & FastInfosetFormat.VALUE_ADD) != 0) {
            vocabulary.addValue(value, in);
        }
        return value;
    }

    private AttributeValue literalValue(int b) {
        int length = stringLength(b, "attribute value");
        if (length > maxValueBytes) {
            throw in.overLimit("attribute value", length, "markupBytes", maxValueBytes);
        }
        int offset = in.advance(length);
        boolean utf16 = isUtf16(b);
        String text = utf16
                ? StrictDecoder.utf16(in.bytes(), offset, length)
                : StrictDecoder.utf8(in.bytes(), offset, length);
        if (text == null) {
            throw in.malformed("attribute value: not " + (utf16 ? "UTF-16" : "UTF-8"));
        }
        return new AttributeValue(text);
    }

    private int stringLength(int b, String field) {
        switch (b & 0x30) {
            case 0x20 -> throw in.unsupported("restricted alphabet in " + field);
            case 0x30 -> throw in.unsupported("encoding algorithm in " + field);
            default -> {
                return in.lengthOnBit5(b, field);
            }
        }
    }

    private static boolean isUtf16(int b) {
        return (b & 0x10) != 0;
    }

    /** Skips a string that the message format does not use (C.14). */
    void skipString(String field) {
        int b = in.u8(field);
        if (b == FastInfosetFormat.VALUE_EMPTY) {
            return;
        }
        if (b >= INDEX_FLAG) {
            vocabulary.otherStrings().checkIndex(in.indexOnBit2(b, field), in);
            return;
        }
        in.advance(stringLength(b, field));
        if ((b & FastInfosetFormat.VALUE_ADD) != 0) {
            vocabulary.otherStrings().add(in);
        }
    }

    /** Skips an octet string that starts on the second bit (C.22). */
    void skipOctets(String field) {
        in.advance(in.lengthOnBit2(in.u8(field), field));
    }

    void skipProcessingInstruction() {
        skipIdentifyingString(vocabulary.otherNames(), "target of a processing instruction");
        skipString("processing instruction");
    }

    void skipComment() {
        skipString("comment");
    }

    // -- the initial vocabulary (C.2.5.3)

    void readInitialVocabulary(ChunkReader chunks) {
        int present = in.u8("initial vocabulary") << 8 | in.u8("initial vocabulary");
        if ((present & 0xE000) != 0) {
            throw in.malformed(String.format("initial vocabulary: %04x (expected: three zero bits first)", present));
        }
        rejectTable(present, 0x1000, "external vocabulary");
        rejectTable(present, 0x0800, "table of restricted alphabets");
        rejectTable(present, 0x0400, "table of encoding algorithms");
        skipTable(present, 0x0200, vocabulary.prefixes(), "prefixes");
        skipTable(present, 0x0100, vocabulary.namespaces(), "namespace names");
        for (int left = count(present, 0x0080, "local names"); left > 0; left--) {
            literalLocalName(in.u8("local name"));
        }
        skipTable(present, 0x0040, vocabulary.otherNames(), "other names");
        skipTable(present, 0x0020, vocabulary.otherUris(), "other URIs");
        for (int left = count(present, 0x0010, "attribute values"); left > 0; left--) {
            vocabulary.addValue(literalValue(in.u8("attribute value") & 0x3F), in);
        }
        for (int left = count(present, 0x0008, "character chunks"); left > 0; left--) {
            chunks.readTableEntry();
        }
        for (int left = count(present, 0x0004, "other strings"); left > 0; left--) {
            in.advance(stringLength(in.u8("other string"), "other string"));
            vocabulary.otherStrings().add(in);
        }
        readSurrogates(present, 0x0002, vocabulary.elementNames(), "element names");
        readSurrogates(present, 0x0001, vocabulary.attributeNames(), "attribute names");
    }

    private void rejectTable(int present, int flag, String feature) {
        if ((present & flag) != 0) {
            throw in.unsupported(feature);
        }
    }

    private int count(int present, int flag, String field) {
        return (present & flag) == 0 ? 0 : in.count(field);
    }

    private void skipTable(int present, int flag, CountedTable table, String field) {
        for (int left = count(present, flag, field); left > 0; left--) {
            skipOctets(field);
            table.add(in);
        }
    }

    private void readSurrogates(int present, int flag, NameTable table, String field) {
        for (int left = count(present, flag, field); left > 0; left--) {
            int flags = in.u8(field);
            if (flags == PREFIX_FLAG || flags > (PREFIX_FLAG | NAMESPACE_FLAG)) {
                throw in.undefined(field, flags);
            }
            if ((flags & PREFIX_FLAG) != 0) {
                vocabulary.prefixes().checkIndex(in.indexOnBit2(in.u8(field), field), in);
            }
            if ((flags & NAMESPACE_FLAG) != 0) {
                vocabulary.namespaces().checkIndex(in.indexOnBit2(in.u8(field), field), in);
            }
            Name local = vocabulary.localNames().get(in.indexOnBit2(in.u8(field), field), in);
            table.add((flags & PREFIX_FLAG) == 0 ? local : null, in);
        }
    }
}
