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
 * Reads a document, and then the messages that continue its tables, directly from octets to message elements. Accepts
 * variations that other writers may use for an equivalent document: other encodings of strings, white space between
 * elements, comments, processing instructions, and unknown attributes and namespace declarations. Not thread-safe.
 */
final class FastInfosetMessageReader {
    private static final Payload EMPTY = Payload.of(new byte[0]);
    private static final int MAX_ELEMENTS_OF_ARRAY = 32;

    private final FastInfosetInput in;
    private final FormDecoder form;
    private final VocabularyReader vocabulary;
    private final ChunkReader chunks;
    private final MarkupReader markup;
    private final StartTagReader startTags;
    private final DecoderVocabulary tables;
    private final ElementHeadCache headCache = new ElementHeadCache();
    /** The first octets of the previous message, up to the end of the root's attributes, if they changed no table. */
    private long cachedRoot;

    /** The length of {@link #cachedRoot} in octets; 0 if there is none. */
    private int cachedRootLength;

    private final MessageLimits limits;
    /** The first elements of the current message; only {@link #elementCount} are valid. */
    private final MessageElement[] elements = new MessageElement[MAX_ELEMENTS_OF_ARRAY];

    private int elementCount;

    /** All elements of the current message, if it has more than the array holds. */
    private Message.@Nullable Builder manyElements;

    /** Whether the second end of an octet with two ends is still to be processed. */
    private boolean endPending;

    private long deliveredBytes;

    FastInfosetMessageReader(FastInfosetInput in, MessageLimits limits) {
        this.tables = new DecoderVocabulary();
        this.in = in;
        this.limits = limits;
        this.form = new FormDecoder(limits, in::remaining, new DecodeErrors(in::place));
        this.vocabulary = new VocabularyReader(in, tables, FormDecoder.maxMarkupBytes(limits));
        this.chunks = new ChunkReader(in, tables, form, limits.maxMessageBytes());
        this.markup = new MarkupReader(in, vocabulary, chunks);
        this.startTags = new StartTagReader(in, vocabulary, form);
    }

    /**
     * Reads a message. After a failure the reader must not be used again.
     *
     * @param document whether the message is a complete document, whose header is already read; otherwise it continues
     *     the tables of the previous messages
     */
    Message read(boolean document) {
        form.beginMessage();
        chunks.beginMessage(in.consumed() + in.remaining());
        deliveredBytes = 0;
        endPending = false;
        if (document || cachedRootLength == 0 || !in.skip(cachedRoot, cachedRootLength)) {
            readBeginning(document);
        }
        readElements();
        readEpilogue();
        startTags.release();
        form.beginMessage(); // releases the memory of this message before the next one arrives
        return toMessage();
    }

    private void readBeginning(boolean document) {
        int changes = tables.changes();
        endPending = startTags.readRoot(markup.readToRoot(document));
        boolean repeatable = !document && !endPending && tables.changes() == changes;
        int length = in.consumed();
        boolean cacheable = repeatable && length <= Long.BYTES && in.remaining() >= Long.BYTES - length;
        cachedRootLength = cacheable ? length : 0;
        cachedRoot = cacheable ? in.longAt(0) & FastInfosetInput.mask(length) : 0;
    }

    private Message toMessage() {
        int count = elementCount;
        elementCount = 0;
        if (count == 1) {
            MessageElement only = elements[0];
            elements[0] = null;
            return Message.of(only);
        }
        Message message = manyElements == null ? Message.of(Arrays.copyOf(elements, count)) : manyElements.build();
        manyElements = null;
        Arrays.fill(elements, 0, count, null);
        return message;
    }

    private void readEpilogue() {
        if (!endPending) {
            int b = markup.next("end of the document");
            if (!MarkupReader.isEnd(b)) {
                throw markup.unexpected("end of the document", b);
            }
        }
        if (in.remaining() > 0) {
            throw in.malformed("end of the document: " + in.remaining() + " bytes follow (expected: none)");
        }
    }

    // -- the root and its elements (C.3)

    /** Reads the elements of the root, whose start tag is already read, and its end. */
    private void readElements() {
        while (!consumePendingEnd()) {
            ElementHead cached = headCache.match(in);
            if (cached != null) {
                form.beginElement(cached);
                addElement(cached, readContent(cached));
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
                throw markup.unexpected("element", next);
            }
        }
    }

    /** Returns whether the previous octet also ended the current item, and clears that state. */
    private boolean consumePendingEnd() {
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
        boolean ended = startTags.readElement(b);
        ElementHead head = startTags.beginElement();
        if (ended) {
            addElement(head, empty(head));
            return;
        }
        if (tables.changes() == changes) {
            cacheHead(from, head);
        }
        addElement(head, readContent(head));
    }

    private void cacheHead(int from, ElementHead head) {
        int length = in.consumed() - from;
        if (length <= Long.BYTES && in.remaining() >= Long.BYTES - length) {
            headCache.put(in.longAt(from), length, head);
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
        if (elementCount < elements.length) {
            elements[elementCount++] = head.with(content);
            return;
        }
        if (manyElements == null) {
            manyElements = Message.compactBuilder().addAll(Arrays.asList(elements));
        }
        manyElements.add(head.with(content));
    }

    // -- content

    private Payload empty(ElementHead head) {
        return head.octets() || head.utf8() ? EMPTY : new ContentCollector(head, form).finish();
    }

    private Payload readContent(ElementHead head) {
        int b = in.u8("element content");
        if (!ChunkReader.isChunk(b)) {
            return MarkupReader.isEnd(b) ? endEmpty(b, head) : readChunks(b, head, null);
        }
        Chunk first = chunks.read(b);
        int next = in.u8("end of the element");
        boolean isPayload = first.octets() ? head.octets() : head.utf8();
        if (isPayload && MarkupReader.isEnd(next)) {
            endPending = next == FastInfosetFormat.END_TWICE;
            return first.payload();
        }
        return readChunks(next, head, first);
    }

    private Payload endEmpty(int b, ElementHead head) {
        endPending = b == FastInfosetFormat.END_TWICE;
        return empty(head);
    }

    /** Reads content of several chunks: the optional first chunk, and the items from the given octet on. */
    private Payload readChunks(int octet, ElementHead head, @Nullable Chunk first) {
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
                throw markup.unexpected("characters or the end of the element", b);
            }
            b = in.u8("end of the element");
        }
        endPending = b == FastInfosetFormat.END_TWICE;
        return content.finish();
    }
}
