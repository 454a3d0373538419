package io.parley.rendezvous.internal;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads and writes the elements of all messages of this package. See {@code docs/wire-format.md}, "Rendezvous". */
final class RendezvousElements {

    /** The namespace of all elements. */
    static final String NAMESPACE = "parley.rendezvous";

    static final String DOCUMENT = "Doc";
    static final String GROUP = "Group";
    static final String FRESH = "Fresh";

    private RendezvousElements() {}

    static MessageElement number(String name, long value) {
        return bytes(name, ByteBuffer.allocate(Long.BYTES).putLong(value).array());
    }

    static MessageElement text(String name, String value) {
        return bytes(name, value.getBytes(StandardCharsets.UTF_8));
    }

    /** Takes ownership of {@code value}. The type is the default one, which takes no bytes on the wire. */
    static MessageElement bytes(String name, byte[] value) {
        return MessageElement.of(NAMESPACE, name, MessageElement.TYPE_BYTES, Payload.of(value));
    }

    static MessageElement group(GroupId group) {
        return bytes(GROUP, group.toByteArray());
    }

    static Message.Builder addAll(Message.Builder message, String name, List<byte[]> values) {
        values.forEach(value -> message.add(bytes(name, value)));
        return message;
    }

    /** Returns all values with the name. */
    static List<byte[]> all(Message message, String name, int max) {
        List<MessageElement> elements = message.elements(NAMESPACE, name);
        if (elements.size() > max) {
            throw malformed(name + ": " + elements.size() + " times (expected: <= " + max + ")");
        }
        return elements.stream().map(MessageElement::toByteArray).toList();
    }

    static List<GroupId> groups(Message message, int max) {
        return all(message, GROUP, max).stream().map(RendezvousElements::group).toList();
    }

    static GroupId group(Message message) {
        return group(required(message, GROUP).toByteArray());
    }

    private static GroupId group(byte[] bytes) {
        if (bytes.length != GroupId.BYTES) {
            throw malformed(GROUP + ": " + bytes.length + " bytes (expected: " + GroupId.BYTES + ")");
        }
        return GroupId.ofBytes(bytes);
    }

    static @Nullable String text(Message message, String name, int maxBytes) {
        MessageElement element = message.element(NAMESPACE, name).orElse(null);
        if (element == null) {
            return null;
        }
        if (element.size() > maxBytes) {
            throw malformed(name + ": " + element.size() + " bytes (expected: <= " + maxBytes + ")");
        }
        return element.payload().text(StandardCharsets.UTF_8);
    }

    static long number(Message message, String name, long min, long max) {
        return inRange(name, number(required(message, name)), min, max);
    }

    /** Returns {@code absent} if there is no such element. */
    static long number(Message message, String name, long min, long max, long absent) {
        MessageElement element = message.element(NAMESPACE, name).orElse(null);
        return element == null ? absent : inRange(name, number(element), min, max);
    }

    static boolean isSet(Message message, String name) {
        return number(message, name, 0, 1, 0) == 1;
    }

    private static MessageElement required(Message message, String name) {
        return message.element(NAMESPACE, name).orElseThrow(() -> malformed(name + ": element is missing"));
    }

    private static long inRange(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw malformed(name + ": " + value + " (expected: " + min + " to " + max + ")");
        }
        return value;
    }

    private static long number(MessageElement element) {
        if (element.size() > Long.BYTES) {
            throw malformed(element.name() + ": " + element.size() + " bytes (expected: <= " + Long.BYTES + ")");
        }
        long number = 0;
        for (byte digit : element.toByteArray()) {
            number = number << Byte.SIZE | (digit & 0xff);
        }
        return number;
    }

    static ParleyException malformed(String detail) {
        return ErrorCode.MALFORMED_MESSAGE.exception("rendezvous message: " + detail);
    }
}
