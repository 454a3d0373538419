package io.parley.pipes.internal.request;

import io.parley.common.internal.TextSanitizer;
import io.parley.endpoint.ServiceAddress;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The headers of requests and responses: the last element of the message, in a reserved namespace. All numbers are unsigned, in
 * groups of seven bits, lowest first (LEB128). A reader ignores what follows the known fields.
 *
 * <pre>
 * Request    inbox  id  timeout in milliseconds  attempt, if not 1
 * Response   id  kind                             kind 0: the response is the rest of the message
 *            id  kind  code  text in UTF-8        kind 1: error of the application; the code is in zigzag form
 *                                                 kind 2: error of the service; the code is that of an ErrorCode
 * </pre>
 */
final class RequestFormat {

    static final String NAMESPACE = "parley.pipe";
    static final String REQUEST = "Request";
    static final String RESPONSE = "Response";

    /** The service that receives responses. Its parameter is the number of the inbox in decimal form. */
    private static final String RESPONSE_SERVICE = "response";

    /** The maximum number of inboxes of a peer. It bounds the channels that a requester makes a responder open. */
    static final int MAX_INBOXES = 64;

    /** The maximum length of the text of an error, in bytes of UTF-8. */
    static final int MAX_TEXT_BYTES = 2048;

    private static final int MAX_NUMBER_BYTES = 9;

    /** The meaning of a response. */
    enum Kind {
        MESSAGE(0),
        APPLICATION_ERROR(1),
        SERVICE_ERROR(2);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        private static @Nullable Kind ofNumber(long number) {
            for (Kind kind : values()) {
                if (kind.number == number) {
                    return kind;
                }
            }
            return null;
        }
    }

    /**
     * The header of a request.
     *
     * @param inbox         the number of the inbox of the requester, from 0
     * @param id            the number of the request, which the requester selects
     * @param timeoutMillis the time for which the requester waits
     * @param attempt       1 and the number of earlier attempts that may have been executed
     */
    record RequestHeader(int inbox, long id, long timeoutMillis, int attempt) {}

    /**
     * The header of a response.
     *
     * @param code the code of an error; otherwise 0
     * @param text the text of an error, as received; otherwise empty
     */
    record ResponseHeader(long id, Kind kind, int code, String text) {}

    private RequestFormat() {}

    /** Returns the service of an inbox. */
    static ServiceAddress responseService(int inbox) {
        return new ServiceAddress(RESPONSE_SERVICE, Integer.toString(inbox));
    }

    /** @param attempt 1 and the number of earlier attempts that may have been executed */
    static Message request(Message body, int inbox, long id, Duration timeout, int attempt) {
        byte[] header = new byte[4 * MAX_NUMBER_BYTES];
        int length = write(header, 0, inbox);
        length = write(header, length, id);
        length = write(header, length, Math.max(1, timeout.toMillis()));
        if (attempt > 1) {
            length = write(header, length, attempt);
        }
        return body.with(element(REQUEST, header, length));
    }

    static Message response(Message body, long id) {
        byte[] header = new byte[MAX_NUMBER_BYTES + 1];
        int length = write(header, 0, id);
        length = write(header, length, Kind.MESSAGE.number);
        return body.with(element(RESPONSE, header, length));
    }

    /** Returns a response with an error. Truncates the text. */
    static Message error(long id, Kind kind, int code, String text) {
        byte[] numbers = new byte[2 * MAX_NUMBER_BYTES + 1];
        int length = write(numbers, 0, id);
        length = write(numbers, length, kind.number);
        length = write(numbers, length, ((code << 1) ^ (code >> 31)) & 0xffff_ffffL);
        ByteArrayOutputStream header = new ByteArrayOutputStream();
        header.write(numbers, 0, length);
        byte[] utf8 = TextSanitizer.oneLine(text).getBytes(StandardCharsets.UTF_8);
        int end = Math.min(utf8.length, MAX_TEXT_BYTES);
        while (end < utf8.length && (utf8[end] & 0xc0) == 0x80) {
            end--; // not within a character
        }
        header.write(utf8, 0, end);
        byte[] bytes = header.toByteArray();
        return Message.of(element(RESPONSE, bytes, bytes.length));
    }

    private static MessageElement element(String name, byte[] bytes, int length) {
        return MessageElement.of(NAMESPACE, name, MessageElement.TYPE_BYTES, Payload.of(bytes, 0, length));
    }

    /** Returns whether the last element of a message is in the namespace of the headers. */
    static boolean hasHeader(Message message) {
        int size = message.size();
        return size > 0 && message.elements().get(size - 1).namespace().equals(NAMESPACE);
    }

    /**
     * Returns whether the header of a message, which {@linkplain #hasHeader has one}, is encoded, as the mark of its name states. No header
     * has a name that begins with a tilde.
     */
    static boolean hasEncodedHeader(Message message) {
        return message.elements().get(message.size() - 1).name().startsWith("~");
    }

    /** Returns the message without its last element. */
    static Message withoutHeader(Message message) {
        List<MessageElement> elements = message.elements();
        return Message.of(elements.subList(0, elements.size() - 1));
    }

    /** Returns the header of a request, or {@code null} if the last element is no well-formed one. */
    static @Nullable RequestHeader requestHeader(Message message) {
        byte[] bytes = header(message, REQUEST);
        if (bytes == null) {
            return null;
        }
        Numbers numbers = new Numbers(bytes);
        long inbox = numbers.next();
        long id = numbers.next();
        long timeoutMillis = numbers.next();
        if (numbers.isMalformed() || inbox >= MAX_INBOXES) {
            return null;
        }
        return new RequestHeader((int) inbox, id, timeoutMillis, numbers.hasMore() ? attempt(numbers.next()) : 1);
    }

    /** Returns the header of a response, or {@code null} if the last element is no well-formed one. */
    static @Nullable ResponseHeader responseHeader(Message message) {
        byte[] bytes = header(message, RESPONSE);
        if (bytes == null) {
            return null;
        }
        Numbers numbers = new Numbers(bytes);
        long id = numbers.next();
        Kind kind = Kind.ofNumber(numbers.next());
        if (numbers.isMalformed() || kind == null) {
            return null;
        }
        if (kind == Kind.MESSAGE) {
            return new ResponseHeader(id, kind, 0, "");
        }
        OptionalInt code = numbers.nextSigned();
        return code.isEmpty() ? null : new ResponseHeader(id, kind, code.getAsInt(), numbers.rest());
    }

    private static int attempt(long received) {
        return (int) Math.max(1, Math.min(received, Integer.MAX_VALUE));
    }

    private static byte @Nullable [] header(Message message, String name) {
        if (!hasHeader(message)) {
            return null;
        }
        MessageElement last = message.elements().get(message.size() - 1);
        return last.name().equals(name) && last.size() <= MAX_TEXT_BYTES + 4 * MAX_NUMBER_BYTES
                ? last.toByteArray()
                : null;
    }

    private static int write(byte[] out, int offset, long value) {
        int next = offset;
        long rest = value;
        while (rest > 0x7f) {
            out[next++] = (byte) ((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out[next++] = (byte) rest;
        return next;
    }

    /** Reads numbers of a header. Not thread-safe. */
    private static final class Numbers {

        private final byte[] bytes;
        private int position;
        private boolean malformed;

        Numbers(byte[] bytes) {
            this.bytes = bytes;
        }

        /** Returns the next number; 0 if there is none, which makes the header malformed. */
        long next() {
            long value = 0;
            for (int i = 0; i < MAX_NUMBER_BYTES && position < bytes.length; i++) {
                byte next = bytes[position++];
                value |= (long) (next & 0x7f) << (7 * i);
                if (next >= 0) {
                    return value;
                }
            }
            malformed = true;
            return 0;
        }

        OptionalInt nextSigned() {
            long zigzag = next();
            return malformed || zigzag > 0xffff_ffffL
                    ? OptionalInt.empty()
                    : OptionalInt.of((int) ((zigzag >>> 1) ^ -(zigzag & 1)));
        }

        boolean hasMore() {
            return position < bytes.length;
        }

        boolean isMalformed() {
            return malformed;
        }

        String rest() {
            return new String(Arrays.copyOfRange(bytes, position, bytes.length), StandardCharsets.UTF_8);
        }
    }
}
