package io.parley.codec.xml.fastinfoset;

import io.parley.codec.MessageLimits;
import io.parley.codec.xml.internal.DecodeErrors;
import io.parley.codec.xml.internal.ElementHead;
import io.parley.codec.xml.internal.FormDecoder;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads a document and then the messages that go on with its tables, straight from octets to elements. What other writers
 * may put into a document of the same infoset is read as well: other spellings of strings, white space between elements,
 * comments, processing instructions, attributes and namespace declarations that mean nothing here.
 */
final class FastInfosetMessageReader {
    private static final Payload EMPTY = Payload.of(new byte[0]);
    private static final int FIRST_ELEMENTS = 32;

    private final FastInfosetInput in;
    private final FormDecoder form;
    private final VocabularyReader vocabulary;
    private final ChunkReader chunks;
    private final MarkupReader markup;
    private final StartTagReader starts;
    private final DecoderVocabulary tables;
    private final ElementHeadCache knownStarts = new ElementHeadCache();
    /** The octets that began the message before, up to the end of the root's attributes, when they changed no table. */
    private long knownRoot;

    /** How many they are; 0 when none are known. */
    private int knownRootLength;

    private final MessageLimits limits;
    /** The elements so far, beyond the first {@link #elementCount} are none. */
    private MessageElement[] elements = new MessageElement[FIRST_ELEMENTS];

    private int elementCount;

    /** The second end in an octet that said two. */
    private boolean endPending;

    private long deliveredBytes;

    FastInfosetMessageReader(FastInfosetInput in, MessageLimits limits) {
        this.tables = new DecoderVocabulary();
        this.in = in;
        this.limits = limits;
        this.form = new FormDecoder(limits, new DecodeErrors(in::place));
        this.vocabulary = new VocabularyReader(in, tables);
        this.chunks = new ChunkReader(in, tables, form, limits.maxMessageBytes());
        this.markup = new MarkupReader(in, vocabulary, chunks);
        this.starts = new StartTagReader(in, vocabulary, form);
    }

    /**
     * Reads what follows the beginning of a document, or all of a message that goes on with the tables of those before.
     * After a failure the reader is of no more use.
     */
    Message read(boolean document) {
        form.beginMessage();
        chunks.beginMessage(in.consumed() + in.remaining());
        deliveredBytes = 0;
        endPending = false;
        if (document || knownRootLength == 0 || !in.skip(knownRoot, knownRootLength)) {
            readBeginning(document);
        }
        readElements();
        readEpilogue();
        starts.release();
        form.beginMessage(); // or what this one has made would be kept until the next
        return takeMessage();
    }

    private void readBeginning(boolean document) {
        int changes = tables.changes();
        endPending = starts.readRoot(markup.readToRoot(document));
        boolean sameAgain = !document && !endPending && tables.changes() == changes;
        int length = in.consumed();
        boolean keeps = sameAgain && length <= Long.BYTES && in.remaining() >= Long.BYTES - length;
        knownRootLength = keeps ? length : 0;
        knownRoot = keeps ? in.longAt(0) & FastInfosetInput.mask(length) : 0;
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

    private void readEpilogue() {
        if (!endPending) {
            int b = markup.next("end of the document");
            if (!MarkupReader.isEnd(b)) {
                throw markup.refused("end of the document", b);
            }
        }
        if (in.remaining() > 0) {
            throw in.malformed("end of the document: " + in.remaining() + " bytes follow (expected: none)");
        }
    }

    // -- the root and its elements (C.3)

    /** The elements of the root, whose start was read, and its end. */
    private void readElements() {
        while (!endsHere()) {
            ElementHead known = knownStarts.skip(in);
            if (known != null) {
                form.begin(known);
                addElement(known, readContent(known));
                continue;
            }
            int next = markup.next("element");
            if (MarkupReader.isElement(next)) {
                readElement(next);
            } else if (ChunkReader.isChunk(next)) {
                skipSpace(next);
            } else if (MarkupReader.isEnd(next)) {
                endPending = next == FastInfosetFormat.END_TWICE;
                return;
            } else {
                throw markup.refused("element", next);
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
        int from = in.consumed() - 1;
        int changes = tables.changes();
        boolean ended = starts.readElement(b);
        ElementHead head = starts.head();
        if (ended) {
            addElement(head, empty(head));
            return;
        }
        if (tables.changes() == changes) {
            keepStart(from, head);
        }
        addElement(head, readContent(head));
    }

    private void keepStart(int from, ElementHead head) {
        int length = in.consumed() - from;
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

    // -- content

    private Payload empty(ElementHead head) {
        return head.octets() || head.utf8() ? EMPTY : new ContentCollector(head, form).finish();
    }

    private Payload readContent(ElementHead head) {
        int b = in.u8("element content");
        if (!ChunkReader.isChunk(b)) {
            return MarkupReader.isEnd(b) ? endEmpty(b, head) : readPieces(b, head, null);
        }
        Chunk first = chunks.read(b);
        int next = in.u8("end of the element");
        boolean asHeld = first.octets() ? head.octets() : head.utf8();
        if (asHeld && MarkupReader.isEnd(next)) {
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
        while (!MarkupReader.isEnd(b)) {
            if (ChunkReader.isChunk(b)) {
                content.add(chunks.read(b));
            } else if (b == FastInfosetFormat.COMMENT) {
                vocabulary.skipComment();
            } else if (b == FastInfosetFormat.PROCESSING_INSTRUCTION) {
                vocabulary.skipProcessingInstruction();
            } else {
                throw markup.refused("characters or the end of the element", b);
            }
            b = in.u8("end of the element");
        }
        endPending = b == FastInfosetFormat.END_TWICE;
        return content.finish();
    }
}
