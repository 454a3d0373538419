package io.parley.codec.internal;

import io.parley.codec.MessageLimits;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.util.List;

/**
 * Writes wire version 1 like JXTA-C: namespaces and types are listed until the table is full; names are literals in each
 * element.
 */
final class WireVersion1Writer {
    static final int LONG_LENGTHS = 0x01;
    static final int LITERAL_NAME = 0x02;
    static final int HAS_TYPE = 0x04;
    static final int HAS_SIGNATURE = 0x08;

    /** The index value that announces a literal string. */
    static final int LITERAL = 0xFFFF;

    /** Magic, version, flags and the two counts. */
    private static final int MESSAGE_BYTES = 4 + 1 + 1 + 2 + 2;
    /** Magic, flags, namespace, length of the name and length of the content. */
    static final int ELEMENT_BYTES = 4 + 1 + 2 + 2 + 4;

    private static final int MAX_COUNTED = 0xFFFF;

    private WireVersion1Writer() {}

    /** Returns the encoded size in bytes and adds the types to the table, which contains the namespaces. */
    static long measure(Message message, StringTable table, MessageLimits limits) {
        long size = MESSAGE_BYTES;
        List<MessageElement> elements = message.elements();
        for (int i = 0; i < elements.size(); i++) {
            MessageElement element = elements.get(i);
            size += measureElement(element, table, limits);
            MessageElement signature = element.signature().orElse(null);
            size += signature == null ? 0 : measureElement(signature, table, limits);
        }
        for (int i = 0; i < table.size(); i++) {
            size += stringBytes(table.get(i));
        }
        return size;
    }

    private static long measureElement(MessageElement element, StringTable table, MessageLimits limits) {
        long size = ELEMENT_BYTES + Utf8.length(element.name()) + element.size();
        if (WireVersion0Writer.hasType(element)) {
            if (table.size() < limits.maxNamespaces()) {
                table.add(element.type());
            }
            size += 2 + (table.id(element.type()) == StringTable.ABSENT ? stringBytes(element.type()) : 0);
        }
        return size;
    }

    private static int stringBytes(String string) {
        return 2 + Utf8.length(string);
    }

    static void write(Message message, StringTable table, WireOutput out) {
        out.u32(BinaryFormat.MESSAGE_MAGIC);
        out.u8(BinaryFormat.VERSION_1);
        out.u8(0); // no message flags: strings are UTF-8
        out.u16(table.size());
        for (int i = 0; i < table.size(); i++) {
            out.string(table.get(i));
        }
        List<MessageElement> elements = message.elements();
        out.u16(elements.size() <= MAX_COUNTED ? elements.size() : 0); // 0: read until the end
        for (int i = 0; i < elements.size(); i++) {
            MessageElement element = elements.get(i);
            MessageElement signature = element.signature().orElse(null);
            writeElement(element, signature == null ? 0 : HAS_SIGNATURE, table, out);
            if (signature != null) {
                writeElement(signature, 0, table, out);
            }
        }
    }

    private static void writeElement(MessageElement element, int signatureFlag, StringTable table, WireOutput out) {
        boolean hasType = WireVersion0Writer.hasType(element);
        out.u32(BinaryFormat.ELEMENT_MAGIC);
        out.u8(LITERAL_NAME | (hasType ? HAS_TYPE : 0) | signatureFlag);
        writeToken(element.namespace(), table, out);
        out.string(element.name());
        if (hasType) {
            writeToken(element.type(), table, out);
        }
        out.u32((int) element.size());
        out.payload(element.payload());
    }

    private static void writeToken(String string, StringTable table, WireOutput out) {
        int id = table.id(string);
        if (id == StringTable.ABSENT) {
            out.u16(LITERAL);
            out.string(string);
        } else {
            out.u16(id);
        }
    }
}
