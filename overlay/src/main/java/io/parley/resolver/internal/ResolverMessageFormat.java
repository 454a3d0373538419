package io.parley.resolver.internal;

import io.parley.common.internal.TextSanitizer;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.resolver.ResolverLimits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Converts resolver messages to messages and back: elements of a separate namespace form the header, all others the body. See
 * {@code docs/wire-format.md}, "Resolver".
 */
final class ResolverMessageFormat {

    /** The namespace of the header. */
    static final String NAMESPACE = "parley.resolver";

    private static final String ASK = "Ask";
    private static final String QUERY = "Query";
    private static final String ANSWER = "Answer";
    private static final String ERROR = "Error";
    private static final List<String> KINDS = List.of(ASK, QUERY, ANSWER, ERROR);

    private static final String NAME = "Name";
    private static final String TIMEOUT = "Time";
    private static final String HOPS = "Hops";
    private static final String CODE = "Code";
    private static final String TEXT = "Text";

    /** The maximum size of a header, in bytes; received messages may exceed the maximum body size by this. */
    static final int MAX_HEADER_BYTES = 4096;

    /** The maximum number of elements in a header: room for those of later versions. */
    static final int MAX_HEADER_ELEMENTS = 32;

    private static final int ELEMENT_OVERHEAD_BYTES = 64;

    private ResolverMessageFormat() {}

    /** Estimates the memory that a message uses, in bytes. */
    static long size(Message message) {
        long bytes = 0;
        for (MessageElement element : message) {
            bytes += size(element)
                    + element.signature().map(ResolverMessageFormat::size).orElse(0L);
        }
        return bytes;
    }

    private static long size(MessageElement element) {
        return ELEMENT_OVERHEAD_BYTES
                + element.namespace().length()
                + element.name().length()
                + element.type().length()
                + element.size();
    }

    /** @throws io.parley.error.InvalidCallException {@link ErrorCode#MESSAGE_TOO_LARGE} */
    static void checkSize(String what, Message body, int maxBytes) {
        long bytes = size(body);
        if (bytes > maxBytes) {
            throw ErrorCode.MESSAGE_TOO_LARGE.exception(
                    what + ": " + bytes + " bytes (expected: <= maxBodyBytes " + maxBytes + ")");
        }
    }

    /** @throws IllegalArgumentException if the body has an element in the namespace of the header */
    static void checkBody(Message body) {
        for (MessageElement element : body) {
            if (element.namespace().equals(NAMESPACE)) {
                throw new IllegalArgumentException(
                        "body: " + body + " (expected: no element in the namespace " + NAMESPACE + ")");
            }
        }
    }

    static Message write(ResolverMessage resolverMessage) {
        Message.Builder message = Message.builder();
        if (resolverMessage instanceof ResolverMessage.QueryMessage query) {
            message.add(number(query.propagated() ? QUERY : ASK, query.id()))
                    .add(text(NAME, query.name()))
                    .add(number(TIMEOUT, Math.max(1, query.timeout().toMillis())));
            if (query.hops() > 0) {
                message.add(number(HOPS, query.hops()));
            }
            message.addAll(query.body());
        } else if (resolverMessage instanceof ResolverMessage.ResponseMessage response) {
            message.add(number(ANSWER, response.id())).addAll(response.body());
        } else if (resolverMessage instanceof ResolverMessage.ErrorMessage failure) {
            message.add(number(ERROR, failure.id()))
                    .add(number(CODE, failure.status().number()))
                    .add(text(TEXT, failure.status().text()));
        }
        return message.build();
    }

    /** @throws io.parley.error.PeerFaultException {@link ErrorCode#MALFORMED_MESSAGE} */
    static ResolverMessage read(Message message) {
        Map<String, MessageElement> header = new HashMap<>();
        List<MessageElement> body = new ArrayList<>(message.size());
        for (MessageElement element : message) {
            if (!element.namespace().equals(NAMESPACE)) {
                body.add(element);
            } else if (header.put(element.name(), element) != null) {
                throw malformed("duplicate element " + TextSanitizer.quote(element.name()));
            } else if (header.size() > MAX_HEADER_ELEMENTS) {
                throw malformed("more than " + MAX_HEADER_ELEMENTS + " elements in the header");
            }
        }
        List<String> kinds = KINDS.stream().filter(header::containsKey).toList();
        if (kinds.size() != 1) {
            throw malformed(kinds.size() + " kinds of message (expected: 1)");
        }
        String kind = kinds.get(0);
        MessageElement id = required(header, kind);
        if (id.size() != Long.BYTES) {
            throw malformed(kind + ": " + id.size() + " bytes (expected: " + Long.BYTES + ")");
        }
        return read(kind, number(id), header, Message.of(body));
    }

    private static ResolverMessage read(String kind, long id, Map<String, MessageElement> header, Message body) {
        return switch (kind) {
            case ASK, QUERY ->
                new ResolverMessage.QueryMessage(
                        kind.equals(QUERY), id, name(header), hops(header), timeout(header), body);
            case ANSWER -> new ResolverMessage.ResponseMessage(id, body);
            default -> new ResolverMessage.ErrorMessage(id, status(header));
        };
    }

    private static String name(Map<String, MessageElement> header) {
        MessageElement name = required(header, NAME);
        if (name.size() < 1 || name.size() > Query.MAX_NAME_BYTES) {
            throw malformed(NAME + ": " + name.size() + " bytes (expected: 1 to " + Query.MAX_NAME_BYTES + ")");
        }
        return name.payload().text(StandardCharsets.UTF_8);
    }

    private static int hops(Map<String, MessageElement> header) {
        MessageElement hops = header.get(HOPS);
        return hops == null ? 0 : (int) inRange(HOPS, number(hops), 0, ResolverLimits.MAX_HOPS);
    }

    private static Duration timeout(Map<String, MessageElement> header) {
        long max = EndpointLimits.MAX_TIMEOUT.toMillis();
        return Duration.ofMillis(inRange(TIMEOUT, number(required(header, TIMEOUT)), 1, max));
    }

    private static WireStatus status(Map<String, MessageElement> header) {
        int code = (int) inRange(CODE, number(required(header, CODE)), 1, Integer.MAX_VALUE);
        MessageElement text = header.get(TEXT);
        return new WireStatus(
                code, text == null ? "" : text.payload().text(StandardCharsets.UTF_8), OptionalLong.empty());
    }

    private static MessageElement required(Map<String, MessageElement> header, String name) {
        MessageElement element = header.get(name);
        if (element == null) {
            throw malformed("no element " + name);
        }
        return element;
    }

    private static long inRange(String what, long value, long min, long max) {
        if (value < min || value > max) {
            throw malformed(what + ": " + value + " (expected: " + min + " to " + max + ")");
        }
        return value;
    }

    private static long number(MessageElement element) {
        if (element.size() > Long.BYTES) {
            throw malformed(element.name() + ": " + element.size() + " bytes (expected: <= " + Long.BYTES + ")");
        }
        long number = 0;
        for (byte digits : element.toByteArray()) {
            number = number << Byte.SIZE | (digits & 0xff);
        }
        return number;
    }

    private static MessageElement number(String name, long value) {
        byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(value).array();
        return element(name, Payload.of(bytes));
    }

    /** Creates an element of the type that the wire format omits. */
    private static MessageElement text(String name, String value) {
        return element(name, Payload.of(value.getBytes(StandardCharsets.UTF_8)));
    }

    private static MessageElement element(String name, Payload payload) {
        return MessageElement.of(NAMESPACE, name, MessageElement.TYPE_BYTES, payload);
    }

    private static RuntimeException malformed(String what) {
        return ErrorCode.MALFORMED_MESSAGE.exception("resolver message: " + what);
    }
}
