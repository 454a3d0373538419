package io.parley.codec.internal;

import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.util.List;

/**
 * The layout of an encoded message: wire version, listed strings and exact size. It is computed in one pass, before any
 * memory is allocated. The computation checks the limits.
 */
final class BinaryMessageLayout {
    /** Most readers of version 0 read counts and lengths of 16 bits as signed numbers. */
    private static final int MAX_V0_ELEMENTS = Short.MAX_VALUE;

    private static final int MAX_V0_STRING_BYTES = Short.MAX_VALUE;
    /** The limit of the writer of JXSE 2.5, although an id could be 255. */
    private static final int MAX_V0_NAMESPACES = 253;

    /** The table of most messages. Never changed. */
    private static final StringTable EMPTY = new StringTable();

    private final MessageLimits limits;
    private StringTable table = EMPTY;
    private int version = BinaryFormat.VERSION_0;
    private long size;

    private BinaryMessageLayout(MessageLimits limits) {
        this.limits = limits;
    }

    static BinaryMessageLayout of(Message message, MessageLimits limits) {
        BinaryMessageLayout layout = new BinaryMessageLayout(limits);
        layout.measure(message);
        return layout;
    }

    int version() {
        return version;
    }

    StringTable table() {
        return table;
    }

    /** Returns the table for a string that is added. */
    private StringTable ownTable() {
        if (table == EMPTY) {
            table = new StringTable();
        }
        return table;
    }

    /** Returns the size of the encoded message in bytes, at most 2^31 - 9 because of the limits. */
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
        boolean frequent = FrequentNames.serves(elements.size());
        for (int i = 0; i < elements.size(); i++) {
            MessageElement element = elements.get(i);
            addNamespace(element);
            size += measuredElement(element, frequent);
            MessageElement signature = element.signature().orElse(null);
            if (signature != null) {
                size += measuredElement(signature, frequent);
            }
        }
        if (version == BinaryFormat.VERSION_1) {
            size = WireVersion1Writer.measure(message, ownTable(), limits);
        }
        checkLimit("encoded message", size, "maxMessageBytes", limits.maxMessageBytes());
    }

    private void addNamespace(MessageElement element) {
        String namespace = element.namespace();
        if (table.id(namespace) != StringTable.ABSENT) {
            return;
        }
        size += 2 + measuredString("namespace", namespace, element);
        ownTable().add(namespace);
        checkLimit("namespaces", table.size(), "maxNamespaces", limits.maxNamespaces());
        if (table.size() > MAX_V0_NAMESPACES) {
            version = BinaryFormat.VERSION_1;
        }
    }

    private long measuredElement(MessageElement element, boolean frequent) {
        if (element.size() > limits.maxElementBytes()) {
            throw tooLarge("content of " + element, element.size(), "maxElementBytes", limits.maxElementBytes());
        }
        int nameBytes = measuredName("element name", element.name(), element, frequent);
        int typeBytes =
                WireVersion0Writer.hasType(element) ? 2 + measuredName("type", element.type(), element, frequent) : 0;
        return WireVersion0Writer.ELEMENT_BYTES + nameBytes + typeBytes + element.size();
    }

    private int measuredName(String subject, String name, MessageElement element, boolean frequent) {
        byte[] known = frequent ? FrequentNames.SHARED.encoded(name) : null;
        if (known == null) {
            return measuredString(subject, name, element);
        }
        checkLimit(subject, known.length, "maxNameBytes", limits.maxNameBytes());
        return known.length;
    }

    private int measuredString(String subject, String string, MessageElement element) {
        int bytes = Utf8.length(string);
        if (bytes == Utf8.NOT_ENCODABLE) {
            throw ErrorCode.NOT_ENCODABLE.exception(
                    subject + " of " + element + ": contains an unpaired surrogate, which UTF-8 cannot represent");
        }
        checkLimit(subject, bytes, "maxNameBytes", limits.maxNameBytes());
        if (bytes > MAX_V0_STRING_BYTES) {
            version = BinaryFormat.VERSION_1;
        }
        return bytes;
    }

    private static void checkLimit(String subject, long value, String limit, long max) {
        if (value > max) {
            throw tooLarge(subject, value, limit, max);
        }
    }

    private static ParleyException tooLarge(String subject, long value, String limit, long max) {
        return ErrorCode.MESSAGE_TOO_LARGE.exception(
                subject + ": " + value + " (expected: <= " + limit + " " + max + ")");
    }
}
