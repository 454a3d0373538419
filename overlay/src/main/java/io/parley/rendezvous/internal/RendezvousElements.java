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

/** What all messages of this package are made of. See {@code docs/wire-format.md}, "Rendezvous". */
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

    /** Takes ownership of the array. The type is the one that costs nothing on the wire. */
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

    /** All values of that name. */
    static List<byte[]> all(Message message, String name, int most) {
        List<MessageElement> elements = message.elements(NAMESPACE, name);
        if (elements.size() > most) {
            throw malformed(name + ": " + elements.size() + " times (expected: <= " + most + ")");
        }
        return elements.stream().map(MessageElement::toByteArray).toList();
    }

    static List<GroupId> groups(Message message, int most) {
        return all(message, GROUP, most).stream().map(RendezvousElements::group).toList();
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

    static @Nullable String text(Message message, String name, int mostBytes) {
        MessageElement element = message.element(NAMESPACE, name).orElse(null);
        if (element == null) {
            return null;
        }
        if (element.size() > mostBytes) {
            throw malformed(name + ": " + element.size() + " bytes (expected: <= " + mostBytes + ")");
        }
        return element.payload().text(StandardCharsets.UTF_8);
    }

    static long number(Message message, String name, long least, long most) {
        return inRange(name, number(required(message, name)), least, most);
    }

    static long number(Message message, String name, long least, long most, long otherwise) {
        MessageElement element = message.element(NAMESPACE, name).orElse(null);
        return element == null ? otherwise : inRange(name, number(element), least, most);
    }

    static boolean isSet(Message message, String name) {
        return number(message, name, 0, 1, 0) == 1;
    }

    private static MessageElement required(Message message, String name) {
        return message.element(NAMESPACE, name).orElseThrow(() -> malformed("no element " + name));
    }

    private static long inRange(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw malformed(name + ": " + value + " (expected: " + least + " to " + most + ")");
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

    static ParleyException malformed(String what) {
        return ErrorCode.MALFORMED_MESSAGE.exception("rendezvous message: " + what);
    }
}
