package io.parley.discovery.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.error.ErrorCode;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.store.ValuePattern;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Converts requests, pages and announcements to messages and back, for queries between peers and for the index. All elements are in
 * the namespace {@value #NAMESPACE}; others are ignored, so that messages can be extended. See {@code docs/wire-format.md},
 * "Discovery".
 */
public final class DiscoveryMessages {

    /** The namespace of the elements. */
    public static final String NAMESPACE = "parley.discovery";

    /** The maximum number of matching documents in one page. */
    public static final int MAX_PAGE_RESULTS = 100;

    /** The maximum size of the documents of one page, in bytes. */
    public static final int MAX_PAGE_BYTES = 256 * 1024;

    /** The maximum length of a type, attribute name or attribute value, in bytes of UTF-8. */
    public static final int MAX_TEXT_BYTES = 4096;

    private static final String TYPE = "Type";
    private static final String ATTRIBUTE = "Attribute";
    private static final String VALUE = "Value";
    private static final String PATTERN = "Pattern";
    private static final String OFFSET = "Offset";
    private static final String LIMIT = "Limit";
    private static final String OWN = "Own";
    private static final String DOCUMENT = "Document";
    private static final String NEXT = "Next";
    private static final String HOPS = "Hops";
    private static final String HELLO = "Hello";

    private DiscoveryMessages() {}

    /** Encodes a page request. */
    public static Message request(PageRequest request) {
        DiscoveryQuery query = request.query();
        Message.Builder message = Message.builder();
        if (query.type() != null) {
            message.add(text(TYPE, query.type()));
        }
        if (query.attribute() != null) {
            ValuePattern value = query.value();
            message.add(text(ATTRIBUTE, query.attribute())).add(text(value.isExact() ? VALUE : PATTERN, value.text()));
        }
        if (request.offset() > 0) {
            message.add(number(OFFSET, request.offset()));
        }
        message.add(number(LIMIT, request.limit()));
        if (request.publisherOnly()) {
            message.add(flag(OWN));
        }
        return message.build();
    }

    /**
     * Decodes a page request.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#MALFORMED_MESSAGE}
     */
    public static PageRequest readRequest(Message message) {
        String type = textOf(message, TYPE);
        String attribute = textOf(message, ATTRIBUTE);
        String exact = textOf(message, VALUE);
        String pattern = textOf(message, PATTERN);
        int limit = numberOf(message, LIMIT).orElseThrow(() -> malformed("no element " + LIMIT));
        try {
            ValuePattern value =
                    exact == null ? ValuePattern.parse(pattern == null ? "" : pattern) : ValuePattern.exactly(exact);
            DiscoveryQuery query = new DiscoveryQuery(type, attribute, value);
            boolean own = message.element(NAMESPACE, OWN).isPresent();
            return new PageRequest(query, numberOf(message, OFFSET).orElse(0), limit, own);
        } catch (IllegalArgumentException e) {
            throw malformed(String.valueOf(e.getMessage()));
        }
    }

    /** Encodes a page. */
    public static Message page(IndexPage page) {
        Message.Builder message = documents(page.documents());
        page.next().ifPresent(next -> message.add(number(NEXT, next)));
        if (page.hops() > 0) {
            message.add(number(HOPS, page.hops()));
        }
        return message.build();
    }

    /**
     * Decodes a page. Neither the number nor the content of its documents is checked.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#MALFORMED_MESSAGE}
     */
    public static IndexPage readPage(Message message) {
        return new IndexPage(
                readDocuments(message),
                numberOf(message, NEXT),
                numberOf(message, HOPS).orElse(0));
    }

    /** Returns a builder of a message that starts with documents. Takes ownership of the arrays. */
    public static Message.Builder documents(List<byte[]> documents) {
        Message.Builder message = Message.builder();
        for (byte[] document : documents) {
            message.add(MessageElement.of(NAMESPACE, DOCUMENT, SignedAdvertisement.CONTENT_TYPE, Payload.of(document)));
        }
        return message;
    }

    /** Returns the documents of a message, in order and unchecked. The caller owns the arrays. */
    public static List<byte[]> readDocuments(Message message) {
        return message.elements(NAMESPACE, DOCUMENT).stream()
                .map(MessageElement::toByteArray)
                .toList();
    }

    /** Encodes an announcement. */
    static Message announcement(List<byte[]> documents, boolean hello) {
        Message.Builder message = documents(documents);
        if (hello) {
            message.add(flag(HELLO));
        }
        return message.build();
    }

    /** Returns whether the announcing peer is new and requests the advertisements of the other peers. */
    static boolean isHello(Message announcement) {
        return announcement.element(NAMESPACE, HELLO).isPresent();
    }

    private static @Nullable String textOf(Message message, String name) {
        Optional<MessageElement> element = message.element(NAMESPACE, name);
        if (element.isEmpty()) {
            return null;
        }
        MessageElement found = element.get();
        if (found.size() > MAX_TEXT_BYTES) {
            throw malformed(name + ": " + found.size() + " bytes (expected: <= " + MAX_TEXT_BYTES + ")");
        }
        String text = found.payload().text(StandardCharsets.UTF_8);
        if (text.indexOf('\0') >= 0) {
            throw malformed(name + ": contains U+0000 (expected: text without it)");
        }
        return text;
    }

    private static OptionalInt numberOf(Message message, String name) {
        Optional<MessageElement> element = message.element(NAMESPACE, name);
        return element.isEmpty() ? OptionalInt.empty() : OptionalInt.of(numberOf(name, element.get()));
    }

    private static int numberOf(String name, MessageElement element) {
        if (element.size() > Long.BYTES) {
            throw malformed(name + ": " + element.size() + " bytes (expected: <= " + Long.BYTES + ")");
        }
        long number = 0;
        for (byte digits : element.toByteArray()) {
            number = number << Byte.SIZE | (digits & 0xff);
        }
        if (number < 0 || number > Integer.MAX_VALUE) {
            throw malformed(name + ": " + Long.toUnsignedString(number) + " (expected: < 2^31)");
        }
        return (int) number;
    }

    private static MessageElement number(String name, long value) {
        return element(name, ByteBuffer.allocate(Long.BYTES).putLong(value).array());
    }

    private static MessageElement text(String name, String value) {
        return element(name, value.getBytes(StandardCharsets.UTF_8));
    }

    private static MessageElement flag(String name) {
        return element(name, new byte[0]);
    }

    /** Creates an element of the type that the wire format omits. */
    private static MessageElement element(String name, byte[] bytes) {
        return MessageElement.of(NAMESPACE, name, MessageElement.TYPE_BYTES, Payload.of(bytes));
    }

    private static RuntimeException malformed(String what) {
        return ErrorCode.MALFORMED_MESSAGE.exception("discovery message: " + what);
    }
}
