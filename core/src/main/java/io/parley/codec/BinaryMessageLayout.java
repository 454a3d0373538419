package io.parley.codec;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.util.List;

/**
 * How a message will be written, found in one pass before any memory is taken: its wire version, the strings it lists
 * and its exact size. Making one checks the limits.
 */
final class BinaryMessageLayout {
    /** Most readers of version 0 take the counts and lengths of 16 bits as signed. */
    private static final int MAX_V0_ELEMENTS = Short.MAX_VALUE;

    private static final int MAX_V0_STRING_BYTES = Short.MAX_VALUE;
    /** JXSE 2.5's writer stops there, though an id could be 255. */
    private static final int MAX_V0_NAMESPACES = 253;

    private final MessageLimits limits;
    private final StringTable table = new StringTable();
    private int version = BinaryFormat.VERSION_0;
    private long size;

    private BinaryMessageLayout(MessageLimits limits) {
        this.limits = limits;
    }

    static BinaryMessageLayout of(Message message, MessageLimits limits) {
        BinaryMessageLayout plan = new BinaryMessageLayout(limits);
        plan.measure(message);
        return plan;
    }

    int version() {
        return version;
    }

    StringTable table() {
        return table;
    }

    /** The whole message in bytes, at most 2^31 - 9 because no limit allows more. */
    int size() {
        return (int) size;
    }

    private void measure(Message message) {
        List<MessageElement> elements = message.elements();
        checkLimit("elements", elements.size(), "maxElements", limits.maxElements());
        if (elements.size() > MAX_V0_ELEMENTS) {
            version = BinaryFormat.VERSION_1;
        }
        size = WireVersion0Writer.MESSAGE_BYTES;
        for (int i = 0; i < elements.size(); i++) {
            MessageElement element = elements.get(i);
            addNamespace(element);
            size += measuredElement(element);
            MessageElement signature = element.signature().orElse(null);
            if (signature != null) {
                size += measuredElement(signature);
            }
        }
        if (version == BinaryFormat.VERSION_1) {
            size = WireVersion1Writer.measure(message, table, limits);
        }
        checkLimit("encoded message", size, "maxMessageBytes", limits.maxMessageBytes());
    }

    private void addNamespace(MessageElement element) {
        String namespace = element.namespace();
        if (table.id(namespace) != StringTable.ABSENT) {
            return;
        }
        size += 2 + measuredString("namespace", namespace, element);
        table.add(namespace);
        checkLimit("namespaces", table.size(), "maxNamespaces", limits.maxNamespaces());
        if (table.size() > MAX_V0_NAMESPACES) {
            version = BinaryFormat.VERSION_1;
        }
    }

    private long measuredElement(MessageElement element) {
        if (element.size() > limits.maxElementBytes()) {
            throw tooLarge("content of " + element, element.size(), "maxElementBytes", limits.maxElementBytes());
        }
        int nameBytes = measuredString("element name", element.name(), element);
        int typeBytes = WireVersion0Writer.hasType(element) ? 2 + measuredString("type", element.type(), element) : 0;
        return WireVersion0Writer.ELEMENT_BYTES + nameBytes + typeBytes + element.size();
    }

    private int measuredString(String what, String string, MessageElement element) {
        int bytes = Utf8.length(string);
        if (bytes == Utf8.NOT_ENCODABLE) {
            throw ErrorCode.NOT_ENCODABLE.exception(
                    what + " of " + element + ": has an unpaired surrogate, which UTF-8 can't carry");
        }
        checkLimit(what, bytes, "maxNameBytes", limits.maxNameBytes());
        if (bytes > MAX_V0_STRING_BYTES) {
            version = BinaryFormat.VERSION_1;
        }
        return bytes;
    }

    private static void checkLimit(String what, long value, String limit, long max) {
        if (value > max) {
            throw tooLarge(what, value, limit, max);
        }
    }

    private static ParleyException tooLarge(String what, long value, String limit, long max) {
        return ErrorCode.MESSAGE_TOO_LARGE.exception(what + ": " + value + " (expected: <= " + limit + " " + max + ")");
    }
}
