package io.parley.bench.jxta;

import io.parley.bench.contender.Header;
import io.parley.bench.contender.MessageBytes;
import io.parley.bench.contender.Signal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jxta.document.MimeMediaType;
import net.jxta.endpoint.ByteArrayMessageElement;
import net.jxta.endpoint.Message;
import net.jxta.endpoint.MessageElement;

/**
 * Creates messages with one binary element, or with several. Elements are immutable and shared. JXTA adds its own elements to each
 * message that it sends.
 */
final class JxtaPayload {

    private static final String NAMESPACE = "bench";
    private static final String NAME = "payload";

    private int bytes = 1;
    private int elements = 1;
    private List<MessageElement> echo = elements(Signal.ECHO, 0);
    private List<MessageElement> sink = elements(Signal.SINK, 0);

    void prepare(int messageBytes) {
        prepare(messageBytes, 1);
    }

    void prepare(int messageBytes, int messageElements) {
        bytes = messageBytes;
        elements = messageElements;
        echo = elements(Signal.ECHO, 0);
        sink = elements(Signal.SINK, 0);
    }

    Message echo() {
        return message(echo);
    }

    Message sink() {
        return message(sink);
    }

    Message last(long expected) {
        return message(elements(Signal.LAST, expected));
    }

    private List<MessageElement> elements(Signal signal, long messages) {
        return Header.slices(new Header(signal, messages).message(bytes), elements).stream()
                .map(JxtaPayload::element)
                .toList();
    }

    private static MessageElement element(byte[] payload) {
        return new ByteArrayMessageElement(NAME, MimeMediaType.AOS, payload, null);
    }

    /** Returns the payload of a received message. */
    static MessageBytes received(Message message) {
        return MessageBytes.join(elements(message).stream()
                .map(element -> MessageBytes.of(((ByteArrayMessageElement) element).getBytes(false), 0))
                .toList());
    }

    /** Returns a new message with the elements of {@code message}. */
    static Message reply(Message message) {
        return message(elements(message));
    }

    private static List<MessageElement> elements(Message message) {
        List<MessageElement> elements = new ArrayList<>();
        message.getMessageElementsOfNamespace(NAMESPACE).forEachRemaining(elements::add);
        return elements;
    }

    /** Returns the first message of a client: the address for replies. */
    static Message hello(String address) {
        return message(List.of(element(address.getBytes(StandardCharsets.US_ASCII))));
    }

    /** Returns the address in a {@link #hello} message. */
    static String address(Message hello) {
        return new String(bytes(hello), StandardCharsets.US_ASCII);
    }

    /** Returns the small reply to the last message of a flood. */
    static Message floodReply() {
        return message(List.of(element(Header.reply())));
    }

    private static byte[] bytes(Message message) {
        return ((ByteArrayMessageElement) message.getMessageElement(NAMESPACE, NAME)).getBytes(false);
    }

    private static Message message(List<MessageElement> elements) {
        Message message = new Message();
        for (MessageElement element : elements) {
            message.addMessageElement(NAMESPACE, element);
        }
        return message;
    }
}
