package io.parley.pipes.internal.bidirectional;

import io.parley.common.Scheduler;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The messages that open and end bidirectional pipes.
 *
 * <pre>
 * connecting peer                                     accepting peer
 *   | -- Connect: end C, elements of hello --> (pipe of the acceptor)
 *   | (end C) &lt;-- Accept: end A, elements of hello -- |    or End: the refusal
 *   | -- messages ------------------------> (end A)   |
 *   | (end C) &lt;---------------------------- messages -- |
 *   | -- End -----------------------------> (end A)   |    last message of a direction
 * </pre>
 */
public final class PipeProtocol {

    static final String NAMESPACE = "parley.pipe";

    /** In the first message to the acceptor: the end of the connecting peer. */
    static final String CONNECT = "Connect";
    /** In the first message to the connecting peer: the end of the accepting peer. */
    static final String ACCEPT = "Accept";
    /** The only element of the last message: empty without a failure, otherwise the number of an {@link ErrorCode} and a text. */
    static final String END = "End";

    private static final String END_SERVICE = "pipe-end";

    /**
     * The maximum size of the message of {@link io.parley.pipes.BidirectionalPipes#withHello}, with all texts. The other peer
     * keeps it while the pipe is open.
     */
    static final int MAX_HELLO_BYTES = 4096;

    static final int MAX_HELLO_ELEMENTS = 16;

    /** The size of the element of this protocol, with some room. */
    private static final int HEADER_BYTES = 256;

    /** The maximum size of the element {@link #END}: the longest text of a failure in any language fits. */
    static final int MAX_END_BYTES = 2048;

    private static final int END_BYTES = 16;
    private static final Pattern END_ID = Pattern.compile("[0-9a-f]{" + 2 * END_BYTES + "}");

    private PipeProtocol() {}

    /** Returns the service of an end. */
    static ServiceAddress endService(String end) {
        return new ServiceAddress(END_SERVICE, end);
    }

    static String newEnd(Scheduler scheduler) {
        byte[] bytes = new byte[END_BYTES];
        scheduler.random().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Returns a first message. */
    static Message opening(String name, String end, Message hello) {
        return Message.builder().add(element(name, end)).addAll(hello).build();
    }

    /**
     * Returns the end in a first message.
     *
     * @throws ParleyException {@link ErrorCode#PROTOCOL_VIOLATION} if it is missing or invalid, or if the message is too large
     */
    static String end(Message opening, String name) {
        if (bytes(opening) > MAX_HELLO_BYTES + HEADER_BYTES || opening.size() > MAX_HELLO_ELEMENTS + 1) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("message that opens a pipe: " + bytes(opening) + " bytes in "
                    + opening.size() + " elements (expected: <= " + MAX_HELLO_BYTES + " in " + MAX_HELLO_ELEMENTS
                    + ")");
        }
        String end = opening.element(NAMESPACE, name)
                .filter(element -> element.size() == 2 * END_BYTES)
                .map(PipeProtocol::text)
                .orElse("");
        if (!END_ID.matcher(end).matches()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "element " + name + ": missing or invalid (expected: " + 2 * END_BYTES + " hexadecimal digits)");
        }
        return end;
    }

    /** Returns the elements of the application in a first message. */
    static Message hello(Message opening) {
        return Message.of(opening.elements().stream()
                .filter(element -> !element.namespace().equals(NAMESPACE))
                .toList());
    }

    /** @throws IllegalArgumentException if the message is too large, or uses the reserved namespace */
    public static void checkHello(Message hello) {
        if (bytes(hello) > MAX_HELLO_BYTES || hello.size() > MAX_HELLO_ELEMENTS) {
            throw new IllegalArgumentException("hello: " + bytes(hello) + " bytes in " + hello.size()
                    + " elements (expected: <= " + MAX_HELLO_BYTES + " in " + MAX_HELLO_ELEMENTS + ")");
        }
        if (hello(hello).size() != hello.size()) {
            throw new IllegalArgumentException(
                    "hello: an element with the namespace " + NAMESPACE + " (expected: none)");
        }
    }

    private static long bytes(Message message) {
        long texts = 0;
        for (MessageElement element : message) {
            texts += element.namespace().length()
                    + textLength(element)
                    + element.signature()
                            .map(signature -> signature.size() + textLength(signature))
                            .orElse(0L);
        }
        return message.payloadBytes() + texts;
    }

    private static long textLength(MessageElement element) {
        return (long) element.name().length() + element.type().length();
    }

    /** Returns the last message of a direction. */
    static Message ending(@Nullable ParleyException failure) {
        if (failure == null) {
            return Message.of(element(END, ""));
        }
        WireStatus status = WireStatus.of(failure);
        return Message.of(element(END, status.number() + " " + status.text()));
    }

    static boolean isEnding(Message message) {
        return message.size() == 1 && message.element(NAMESPACE, END).isPresent();
    }

    /** Returns the failure in the last message of a direction, or null if there is none. */
    static @Nullable ParleyException failure(Message ending, PeerId from) {
        MessageElement element = ending.element(NAMESPACE, END).orElse(null);
        if (element == null || element.size() == 0) {
            return null;
        }
        if (element.size() > MAX_END_BYTES) {
            return ErrorCode.PROTOCOL_VIOLATION.exception("peer " + from.shortText() + ": element " + END + ": "
                    + element.size() + " bytes (expected: <= " + MAX_END_BYTES + ")");
        }
        String text = text(element);
        int space = text.indexOf(' ');
        return new WireStatus(
                        number(space < 0 ? text : text.substring(0, space)),
                        text.substring(space + 1),
                        OptionalLong.empty())
                .toException("peer " + from.shortText() + " reports");
    }

    /** Returns the text in UTF-8, whatever charset the remote peer names in the type of the element. */
    private static String text(MessageElement element) {
        return element.payload().text(StandardCharsets.UTF_8);
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return 0; // an unknown code
        }
    }

    private static MessageElement element(String name, String text) {
        return MessageElement.ofText(name, text).withNamespace(NAMESPACE);
    }
}
