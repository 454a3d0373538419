package io.parley.codec.xml.fastinfoset;

import io.parley.error.ErrorCode;

/**
 * Validates a complete Fast Infoset document before it is passed to a parser, because parsers allocate memory for each
 * length and expand each index without limits. An accepted document has no length beyond its end, no index outside its
 * tables, only well-formed UTF-8 and UTF-16, and exceeds no limit even if all repetitions are expanded. A parser may
 * still reject it at a low cost, for example for an invalid XML name.
 *
 * <p>The guard rejects external vocabularies, document type declarations and their parts (notations, unparsed entities,
 * entity references), and encoding algorithms that are not built in.
 *
 * <p>Source: ITU-T Rec. X.891 | ISO/IEC 24824-1, clause 12 and annex C.
 */
public final class FastInfosetGuard {
    private static final int NOT_AN_END = -1;
    /** The characters of XML text around the names of an element, and around the name and the value of an attribute. */
    private static final int TAG_CHARACTERS = 5;

    private static final int ATTRIBUTE_CHARACTERS = 4;
    private static final long XMLNS_LENGTH = "xmlns:".length();
    private static final int XML_PREFIX_LENGTH = "xml".length();
    private static final int XML_NAMESPACE_LENGTH = "http://www.w3.org/XML/1998/namespace".length();

    private final FastInfosetInput in;
    private final FastInfosetLimits limits;
    private final GuardStringReader strings;

    private final GuardTable prefixes;
    private final GuardTable namespaces;
    private final GuardTable localNames;
    private final GuardTable otherNames;
    private final GuardTable otherUris;
    private final GuardTable values;
    private final GuardTable chunks;
    private final GuardTable otherStrings;
    private final GuardTable elementNames;
    private final GuardTable attributeNames;
    private final GuardTable alphabets;
    private final GuardTable algorithms;

    private int elements;
    private int depth;
    private long characters;

    private FastInfosetGuard(FastInfosetInput in, FastInfosetLimits limits, long maxExpandedCharacters) {
        this.in = in;
        this.limits = limits;
        this.strings = new GuardStringReader(in, limits, maxExpandedCharacters);
        prefixes = new GuardTable("prefixes", in, limits, XML_PREFIX_LENGTH);
        namespaces = new GuardTable("namespace names", in, limits, XML_NAMESPACE_LENGTH);
        localNames = new GuardTable("local names", in, limits);
        otherNames = new GuardTable("other names", in, limits);
        otherUris = new GuardTable("other URIs", in, limits);
        values = new GuardTable("attribute values", in, limits);
        chunks = new GuardTable("character chunks", in, limits);
        otherStrings = new GuardTable("other strings", in, limits);
        elementNames = new GuardTable("element names", in, limits);
        attributeNames = new GuardTable("attribute names", in, limits);
        alphabets = new GuardTable("restricted alphabets", in, limits);
        algorithms = new GuardTable("encoding algorithms", in, limits);
    }

    /**
     * Validates the document in a range of an array. {@code bytes} is borrowed for this call. Allocates memory for the
     * lengths of the table entries in the document, and none for lengths that the document only claims.
     *
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE or LIMIT_EXCEEDED; the message names the offset and
     *     the fault. No content of the array causes another exception
     */
    public static void check(byte[] bytes, int offset, int length, FastInfosetLimits limits) {
        check(bytes, offset, length, limits, limits.maxCharacters());
    }

    /**
     * Validates as {@link #check(byte[], int, int, FastInfosetLimits)} does, for readers that count characters by a rule of their own: a
     * parser expands a value before they can count it.
     *
     * @param maxExpandedCharacters the largest number of characters that the bytes of one value in an encoding algorithm or a restricted
     *     alphabet can stand for
     */
    public static void check(
            byte[] bytes, int offset, int length, FastInfosetLimits limits, long maxExpandedCharacters) {
        if (length > limits.maxBytes()) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "Fast Infoset document: " + length + " bytes (expected: <= maxBytes " + limits.maxBytes() + ")");
        }
        FastInfosetInput in = new FastInfosetInput("Fast Infoset document");
        in.begin(bytes, offset, length);
        new FastInfosetGuard(in, limits, maxExpandedCharacters).checkDocument();
    }

    private void checkDocument() {
        if (!DocumentHeader.skip(in)) {
            throw in.malformed("document: no header (expected: e0 00 00 01)");
        }
        checkProperties();
        boolean ended = checkRoot();
        while (!ended) {
            int b = in.u8("end of the document");
            if (b == FastInfosetFormat.END || b == FastInfosetFormat.END_TWICE) {
                ended = true;
            } else if (!isCommentOrInstruction(b)) {
                throw in.undefined("end of the document", b);
            }
        }
        if (in.remaining() > 0) {
            throw in.malformed("end of the document: " + in.remaining() + " bytes follow (expected: none)");
        }
    }

    // -- before the root

    private void checkProperties() {
        int properties = in.u8("document properties");
        if ((properties & 0x80) != 0) {
            throw in.undefined("document properties", properties);
        }
        if ((properties & 0x40) != 0) {
            for (int left = in.count("additional data"); left > 0; left--) {
                strings.name(in.u8("additional data"), "additional data");
                in.advance(in.lengthOnBit2(in.u8("additional data"), "additional data"));
            }
        }
        if ((properties & 0x20) != 0) {
            checkInitialVocabulary();
        }
        if ((properties & 0x18) != 0) {
            throw in.unsupported("notation or unparsed entity");
        }
        if ((properties & 0x04) != 0) {
            strings.name(in.u8("character encoding scheme"), "character encoding scheme");
        }
        if ((properties & 0x02) != 0 && in.u8("standalone") > 1) {
            throw in.malformed("standalone: neither 00 nor 01");
        }
        if ((properties & 0x01) != 0) {
            strings.value(otherStrings, "XML version");
        }
    }

    private void checkInitialVocabulary() {
        int present = in.u8("initial vocabulary") << 8 | in.u8("initial vocabulary");
        if ((present & 0xE000) != 0) {
            throw in.malformed(String.format("initial vocabulary: %04x (expected: three zero bits first)", present));
        }
        if ((present & 0x1000) != 0) {
            throw in.unsupported("external vocabulary");
        }
        checkNames(present, 0x0800, alphabets, "restricted alphabet");
        checkNames(present, 0x0400, algorithms, "encoding algorithm");
        checkNames(present, 0x0200, prefixes, "prefix");
        checkNames(present, 0x0100, namespaces, "namespace name");
        checkNames(present, 0x0080, localNames, "local name");
        checkNames(present, 0x0040, otherNames, "other name");
        checkNames(present, 0x0020, otherUris, "other URI");
        checkValues(present, 0x0010, values, "attribute value");
        checkValues(present, 0x0008, chunks, "character chunk");
        checkValues(present, 0x0004, otherStrings, "other string");
        checkSurrogates(present, 0x0002, elementNames, "element name");
        checkSurrogates(present, 0x0001, attributeNames, "attribute name");
    }

    private int count(int present, int flag, String field) {
        return (present & flag) == 0 ? 0 : in.count(field);
    }

    private void checkNames(int present, int flag, GuardTable table, String field) {
        for (int left = count(present, flag, field); left > 0; left--) {
            table.add(strings.name(in.u8(field), field));
        }
    }

    private void checkValues(int present, int flag, GuardTable table, String field) {
        for (int left = count(present, flag, field); left > 0; left--) {
            int b = in.u8(field);
            if (b > 0x3F) {
                throw in.undefined(field, b);
            }
            table.add(strings.literalValue(b, field));
        }
    }

    private void checkSurrogates(int present, int flag, GuardTable table, String field) {
        for (int left = count(present, flag, field); left > 0; left--) {
            // The library interprets the indices of prefixes and namespaces differently from X.891.
            int flags = in.u8(field);
            if (flags != 0) {
                throw in.malformed(String.format("%s: %02x (expected: 00, no namespace)", field, flags));
            }
            table.add(strings.index(localNames, field));
        }
    }

    // -- the root and its content

    /** Checks the root element. Returns whether the octet that ends it also ends the document. */
    private boolean checkRoot() {
        int b = in.u8("root element");
        while (isCommentOrInstruction(b)) {
            b = in.u8("root element");
        }
        if ((b & 0xFC) == FastInfosetFormat.BARE_DOCTYPE) {
            throw in.unsupported("document type declaration");
        }
        if (b >= 0x80) {
            throw in.undefined("root element", b);
        }
        int ends = openElement(b);
        while (true) {
            while (ends > 0 && depth > 0) {
                depth--;
                ends--;
            }
            if (depth == 0) {
                return ends > 0;
            }
            ends = checkItem();
        }
    }

    /** Checks one item of the content of an element. Returns the number of ends in it, at most two. */
    private int checkItem() {
        int b = in.u8("element content");
        if (b < 0x80) {
            return openElement(b);
        }
        if (b < 0xC0) {
            charge(strings.chunk(b, chunks));
            return 0;
        }
        if (isCommentOrInstruction(b)) {
            return 0;
        }
        if ((b & 0xFC) == 0xC8) {
            throw in.unsupported("entity reference");
        }
        int ends = endCount(b);
        if (ends == NOT_AN_END) {
            throw in.undefined("element content", b);
        }
        return ends;
    }

    private static int endCount(int b) {
        return b == FastInfosetFormat.END ? 1 : b == FastInfosetFormat.END_TWICE ? 2 : NOT_AN_END;
    }

    /** Checks an element up to its content. Returns the number of elements that end with its attributes. */
    private int openElement(int b) {
        if (++elements > limits.maxElements()) {
            throw in.overLimit("elements", elements, "maxElements", limits.maxElements());
        }
        if (++depth > limits.maxDepth()) {
            throw in.overLimit("depth", depth, "maxDepth", limits.maxDepth());
        }
        int nameOctet = b & 0x3F;
        int attributes = 0;
        if (nameOctet == FastInfosetFormat.ELEMENT_NAMESPACES) {
            attributes = checkNamespaceAttributes();
            nameOctet = in.u8("element name");
            if (nameOctet > 0x3F) {
                throw in.undefined("element name", nameOctet);
            }
        }
        charge(2L * elementName(nameOctet) + TAG_CHARACTERS);
        return (b & FastInfosetFormat.ATTRIBUTES_FLAG) == 0 ? 0 : checkAttributes(attributes) - 1;
    }

    private int elementName(int b) {
        if ((b & FastInfosetFormat.ELEMENT_LITERAL) == FastInfosetFormat.ELEMENT_LITERAL) {
            return literalName(b, elementNames);
        }
        return elementNames.length(in.indexOnBit3(b, "element name"));
    }

    private int literalName(int flags, GuardTable table) {
        int length = 0;
        if ((flags & 2) != 0) {
            length = strings.identifyingString(prefixes, "prefix") + 1;
        }
        if ((flags & 1) != 0) {
            strings.identifyingString(namespaces, "namespace name");
        }
        length += strings.identifyingString(localNames, "local name");
        table.add(length);
        return length;
    }

    private int checkNamespaceAttributes() {
        int count = 0;
        int b = in.u8("namespace attribute");
        while ((b & 0xFC) == FastInfosetFormat.NAMESPACE_ATTRIBUTE) {
            checkAttributeCount(++count);
            long length = XMLNS_LENGTH + ATTRIBUTE_CHARACTERS;
            if ((b & 2) != 0) {
                length += strings.identifyingString(prefixes, "prefix");
            }
            if ((b & 1) != 0) {
                length += strings.identifyingString(namespaces, "namespace name");
            }
            charge(length);
            b = in.u8("namespace attribute");
        }
        if (b != FastInfosetFormat.END || count == 0) {
            throw in.undefined("namespace attribute", b);
        }
        return count;
    }

    /** Checks attributes that follow {@code previous} namespace attributes. Returns the number of ends, one or two. */
    private int checkAttributes(int previous) {
        int count = previous;
        while (true) {
            int b = in.u8("attribute");
            if (b >= 0x80) {
                int ends = endCount(b);
                // The library fails if there are no attributes although a flag declares them.
                if (ends == NOT_AN_END || count == previous) {
                    throw in.undefined("attribute", b);
                }
                return ends;
            }
            checkAttributeCount(++count);
            long name = (b & 0x7C) == FastInfosetFormat.ATTRIBUTE_LITERAL
                    ? literalName(b, attributeNames)
                    : attributeNames.length(in.indexOnBit2(b, "attribute name"));
            charge(name + ATTRIBUTE_CHARACTERS + strings.value(values, "attribute value"));
        }
    }

    private void checkAttributeCount(int count) {
        if (count > limits.maxAttributes()) {
            throw in.overLimit("attributes", count, "maxAttributes", limits.maxAttributes());
        }
    }

    private boolean isCommentOrInstruction(int b) {
        if (b == FastInfosetFormat.COMMENT) {
            charge(strings.value(otherStrings, "comment"));
            return true;
        }
        if (b == FastInfosetFormat.PROCESSING_INSTRUCTION) {
            charge(strings.identifyingString(otherNames, "target of a processing instruction"));
            charge(strings.value(otherStrings, "processing instruction"));
            return true;
        }
        return false;
    }

    private void charge(long length) {
        characters += length;
        if (characters > limits.maxCharacters()) {
            throw in.overLimit("characters with repetitions", characters, "maxCharacters", limits.maxCharacters());
        }
    }
}
