package io.parley.bench.jxta;

import io.parley.bench.contender.Header;
import io.parley.bench.contender.MessageBytes;
import io.parley.bench.contender.Signal;
import java.nio.charset.StandardCharsets;
import net.jxta.document.MimeMediaType;
import net.jxta.endpoint.ByteArrayMessageElement;
import net.jxta.endpoint.Message;
import net.jxta.endpoint.MessageElement;

/**
 * Creates messages with one binary element. Elements are immutable and shared. JXTA adds its own elements to each
 * message that it sends.
 */
final class JxtaPayload {

    private static final String NAMESPACE = "bench";
    private static final String NAME = "payload";

    private int bytes = 1;
    private MessageElement echo = element(Signal.ECHO, 0);
    private MessageElement sink = element(Signal.SINK, 0);

    void prepare(int messageBytes) {
        bytes = messageBytes;
        echo = element(Signal.ECHO, 0);
        sink = element(Signal.SINK, 0);
    }

    Message echo() {
        return message(echo);
    }

    Message sink() {
        return message(sink);
    }

    Message last(long expected) {
        return message(element(Signal.LAST, expected));
    }

    private MessageElement element(Signal signal, long messages) {
        return element(new Header(signal, messages).message(bytes));
    }

    private static MessageElement element(byte[] payload) {
        return new ByteArrayMessageElement(NAME, MimeMediaType.AOS, payload, null);
    }

    /** Returns the payload of a received message. */
    static MessageBytes received(Message message) {
        return MessageBytes.of(bytes(message), 0);
    }

    /** Returns a new message with the element of {@code message}. */
    static Message reply(Message message) {
        return message(message.getMessageElement(NAMESPACE, NAME));
    }

    /** Returns the first message of a client: the address for replies. */
    static Message hello(String address) {
        return message(new ByteArrayMessageElement(
                NAME, MimeMediaType.AOS, address.getBytes(StandardCharsets.US_ASCII), null));
    }

    /** Returns the address in a {@link #hello} message. */
    static String address(Message hello) {
        return new String(bytes(hello), StandardCharsets.US_ASCII);
    }

    /** Returns the small reply to the last message of a flood. */
    static Message floodReply() {
        return message(element(Header.reply()));
    }

    private static byte[] bytes(Message message) {
        return ((ByteArrayMessageElement) message.getMessageElement(NAMESPACE, NAME)).getBytes(false);
    }

    private static Message message(MessageElement element) {
        Message message = new Message();
        message.addMessageElement(NAMESPACE, element);
        return message;
    }
}
