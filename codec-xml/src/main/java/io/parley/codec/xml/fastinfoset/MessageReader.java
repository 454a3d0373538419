package io.parley.codec.xml.fastinfoset;

import io.parley.codec.MessageLimits;
import io.parley.codec.xml.fastinfoset.FastInfosetFormat.Name;
import io.parley.codec.xml.form.ElementHead;
import io.parley.codec.xml.form.Faults;
import io.parley.codec.xml.form.FormDecoder;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads one message after the other, of one document and of those that go on with its tables, straight from octets to elements. What other writers may put into a document of the same infoset is
 * read as well: other spellings of strings, white space between elements, comments, processing instructions, attributes
 * and namespace declarations that mean nothing here.
 */
final class MessageReader {
    private static final Payload EMPTY = Payload.of(new byte[0]);
    private static final int FIRST_ELEMENTS = 32;
    private static final byte[] UNKNOWN_ROOT = {};
    private static final int MAX_KNOWN_ROOT_BYTES = 16;

    private final FastInfosetInput in;
    private final FormDecoder form;
    private final VocabularyReader vocabulary;
    private final ChunkReader chunks;
    private final DecoderVocabulary tables;
    private final KnownStarts knownStarts = new KnownStarts();
    /** The octets that began the message before, up to the end of the root's attributes, when they changed no table. */
    private byte[] knownRoot = UNKNOWN_ROOT;

    private final MessageLimits limits;
    /** The elements so far, beyond the first {@link #elementCount} are none. */
    private MessageElement[] elements = new MessageElement[FIRST_ELEMENTS];

    private int elementCount;

    private @Nullable AttributeValue version;
    private @Nullable AttributeValue name;
    private @Nullable AttributeValue type;
    private @Nullable AttributeValue encoding;
    /** The second end in an octet that said two. */
    private boolean endPending;

    private long deliveredBytes;

    MessageReader(FastInfosetInput in, MessageLimits limits) {
        this.tables = new DecoderVocabulary();
        this.in = in;
        this.limits = limits;
        this.form = new FormDecoder(limits, new Faults(in::place));
        this.vocabulary = new VocabularyReader(in, tables);
        this.chunks = new ChunkReader(in, tables, form);
    }

    /**
     * Reads what follows the beginning of a document, or all of a message that goes on with the tables of those before.
     * After a failure the reader is of no more use.
     */
    Message read(boolean document) {
        form.beginMessage();
        deliveredBytes = 0;
        endPending = false;
        if (document || knownRoot.length == 0 || !in.skip(knownRoot)) {
            readBeginning(document);
        }
        readElements();
        readEpilogue();
        version = null;
        name = null;
        type = null;
        encoding = null;
        return takeMessage();
    }

    private void readBeginning(boolean document) {
        int changes = tables.changes();
        readProperties(document);
        int b = afterSkipped("root element");
        if (b == FastInfosetFormat.BARE_DOCTYPE) {
            skipBareDoctype();
            b = afterSkipped("root element");
        }
        if (!isElement(b)) {
            throw refused("root element", b);
        }
        readStart(b, Name.MESSAGE);
        form.version(version == null ? null : version.text());
        boolean sameAgain = !document && !endPending && tables.changes() == changes;
        knownRoot = sameAgain && in.count() <= MAX_KNOWN_ROOT_BYTES ? in.copyOfRead() : UNKNOWN_ROOT;
    }

    private Message takeMessage() {
        int count = elementCount;
        elementCount = 0;
        if (count == 1) {
            MessageElement only = elements[0];
            elements[0] = null;
            return Message.of(only);
        }
        Message message = Message.of(Arrays.copyOf(elements, count));
        if (elements.length > FIRST_ELEMENTS) {
            elements = new MessageElement[FIRST_ELEMENTS];
        } else {
            Arrays.fill(elements, 0, count, null);
        }
        return message;
    }

    // -- around the root (C.2)

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

    private void readEpilogue() {
        if (!endPending) {
            int b = afterSkipped("end of the document");
            if (!isEnd(b)) {
                throw refused("end of the document", b);
            }
        }
        if (in.remaining() > 0) {
            throw in.malformed("end of the document: " + in.remaining() + " bytes follow (expected: none)");
        }
    }

    /** The next octet that does not begin a comment or a processing instruction. */
    private int afterSkipped(String field) {
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

    private ParleyException refused(String expected, int b) {
        return switch (b & 0xFC) {
            case 0xC4 -> in.refused("document type declaration");
            case 0xC8 -> in.refused("entity reference");
            default -> in.malformed(String.format("octet %02x (expected: %s)", b, expected));
        };
    }

    // -- the root and its elements (C.3)

    private static boolean isElement(int b) {
        return b < 0x80;
    }

    private static boolean isEnd(int b) {
        return b == FastInfosetFormat.END || b == FastInfosetFormat.END_TWICE;
    }

    /** The elements of the root, whose start was read, and its end. */
    private void readElements() {
        while (!endsHere()) {
            ElementHead known = knownStarts.skip(in);
            if (known != null) {
                form.begin(known);
                addElement(known, readContent(known));
                continue;
            }
            int next = afterSkipped("element");
            if (isElement(next)) {
                readElement(next);
            } else if (ChunkReader.isChunk(next)) {
                skipSpace(next);
            } else if (isEnd(next)) {
                endPending = next == FastInfosetFormat.END_TWICE;
                return;
            } else {
                throw refused("element", next);
            }
        }
    }

    /** Whether the octet that ended something has ended this, too. */
    private boolean endsHere() {
        boolean ends = endPending;
        endPending = false;
        return ends;
    }

    private void skipSpace(int b) {
        Chunk chunk = chunks.read(b);
        Payload characters = chunk.payload();
        for (int i = 0; i < characters.size(); i++) {
            byte c = characters.array()[characters.arrayOffset() + i];
            if (chunk.octets() || (c != ' ' && c != '\t' && c != '\n' && c != '\r')) {
                throw in.malformed("characters between elements (expected: white space)");
            }
        }
    }

    private void readElement(int b) {
        int from = in.count() - 1;
        int changes = tables.changes();
        readStart(b, Name.ELEMENT);
        ElementHead head = head();
        if (endsHere()) {
            addElement(head, empty(head));
            return;
        }
        if (tables.changes() == changes) {
            keepStart(from, head);
        }
        addElement(head, readContent(head));
    }

    private void keepStart(int from, ElementHead head) {
        int length = in.count() - from;
        if (length <= Long.BYTES && in.remaining() >= Long.BYTES - length) {
            knownStarts.keep(in.longAt(from), length, head);
        }
    }

    private void addElement(ElementHead head, Payload content) {
        if (content.size() > limits.maxElementBytes()) {
            throw in.overLimit("element content", content.size(), "maxElementBytes", limits.maxElementBytes());
        }
        deliveredBytes += content.size();
        if (deliveredBytes > limits.maxMessageBytes()) {
            throw in.overLimit(
                    "contents with repetitions", deliveredBytes, "maxMessageBytes", limits.maxMessageBytes());
        }
        if (elementCount == elements.length) {
            elements = Arrays.copyOf(elements, 2 * elementCount);
        }
        elements[elementCount++] = head.with(content);
    }

    /** The name and the attributes of an element, up to where its content begins. */
    private void readStart(int b, Name expected) {
        version = null;
        name = null;
        type = null;
        encoding = null;
        boolean hasAttributes = (b & FastInfosetFormat.ATTRIBUTES_FLAG) != 0;
        int nameOctet = b & 0x3F;
        if (nameOctet == FastInfosetFormat.ELEMENT_NAMESPACES) {
            vocabulary.skipNamespaceAttributes();
            nameOctet = in.u8("element name");
            if (nameOctet > 0x3F) {
                throw in.unknown("element name", nameOctet);
            }
        }
        Name found = vocabulary.elementName(nameOctet);
        if (found != expected) {
            throw in.malformed("element name: " + (found == null ? "another name" : text(found)) + " (expected: "
                    + text(expected) + ")");
        }
        if (hasAttributes) {
            readAttributes();
        }
    }

    private void readAttributes() {
        while (true) {
            int b = in.u8("attribute");
            if (b >= 0x80) {
                if (!isEnd(b)) {
                    throw in.unknown("attribute", b);
                }
                endPending = b == FastInfosetFormat.END_TWICE;
                return;
            }
            Name attribute = vocabulary.attributeName(b);
            AttributeValue value = vocabulary.attributeValue();
            if (attribute != null) {
                assign(attribute, value);
            }
        }
    }

    private void assign(Name attribute, AttributeValue value) {
        AttributeValue before;
        switch (attribute) {
            case NAME -> {
                before = name;
                name = value;
            }
            case TYPE -> {
                before = type;
                type = value;
            }
            case ENCODING -> {
                before = encoding;
                encoding = value;
            }
            case VERSION -> {
                before = version;
                version = value;
            }
            default -> {
                return; // an attribute that is called like an element: another one
            }
        }
        if (before != null) {
            throw in.malformed("attribute " + text(attribute) + ": twice");
        }
    }

    private ElementHead head() {
        if (name == null) {
            return form.begin(null, null, null); // which says what is missing
        }
        ElementHead known = name.head(type, encoding);
        if (known != null) {
            form.begin(known);
            return known;
        }
        ElementHead head =
                form.begin(name.text(), type == null ? null : type.text(), encoding == null ? null : encoding.text());
        name.keep(head, type, encoding);
        return head;
    }

    // -- content

    private Payload empty(ElementHead head) {
        return head.octets() || head.utf8() ? EMPTY : new ContentCollector(head, form).finish();
    }

    private Payload readContent(ElementHead head) {
        int b = in.u8("element content");
        if (!ChunkReader.isChunk(b)) {
            return isEnd(b) ? endEmpty(b, head) : readPieces(b, head, null);
        }
        Chunk first = chunks.read(b);
        int next = in.u8("end of the element");
        boolean asHeld = first.octets() ? head.octets() : head.utf8();
        if (asHeld && isEnd(next)) {
            endPending = next == FastInfosetFormat.END_TWICE;
            return first.payload();
        }
        return readPieces(next, head, first);
    }

    private Payload endEmpty(int b, ElementHead head) {
        endPending = b == FastInfosetFormat.END_TWICE;
        return empty(head);
    }

    /** Goes on with that octet, after the first chunk if there was one already. */
    private Payload readPieces(int octet, ElementHead head, @Nullable Chunk first) {
        ContentCollector content = new ContentCollector(head, form);
        if (first != null) {
            content.add(first);
        }
        int b = octet;
        while (!isEnd(b)) {
            if (ChunkReader.isChunk(b)) {
                content.add(chunks.read(b));
            } else if (b == FastInfosetFormat.COMMENT) {
                vocabulary.skipComment();
            } else if (b == FastInfosetFormat.PROCESSING_INSTRUCTION) {
                vocabulary.skipProcessingInstruction();
            } else {
                throw refused("characters or the end of the element", b);
            }
            b = in.u8("end of the element");
        }
        endPending = b == FastInfosetFormat.END_TWICE;
        return content.finish();
    }

    private static String text(Name name) {
        return new String(name.utf8(), StandardCharsets.US_ASCII);
    }
}
