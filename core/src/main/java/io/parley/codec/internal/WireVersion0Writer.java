package io.parley.codec.internal;

import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.util.List;

/** Writes wire version 0, byte for byte like JXSE 2.5. */
final class WireVersion0Writer {
    static final int HAS_TYPE = 0x01;
    static final int HAS_SIGNATURE = 0x04;

    /** Magic, version and the two counts. */
    static final int MESSAGE_BYTES = 4 + 1 + 2 + 2;
    /** Magic, namespace, flags, length of the name and length of the content. */
    static final int ELEMENT_BYTES = 4 + 1 + 1 + 2 + 4;

    private WireVersion0Writer() {}

    static boolean hasType(MessageElement element) {
        return !element.type().equals(MessageElement.TYPE_BYTES);
    }

    static void write(Message message, StringTable namespaces, WireOutput out) {
        out.u32(BinaryFormat.MESSAGE_MAGIC);
        out.u8(BinaryFormat.VERSION_0);
        out.u16(namespaces.size());
        for (int i = 0; i < namespaces.size(); i++) {
            out.string(namespaces.get(i));
        }
        List<MessageElement> elements = message.elements();
        out.u16(elements.size());
        boolean frequent = FrequentNames.serves(elements.size());
        for (int i = 0; i < elements.size(); i++) {
            MessageElement element = elements.get(i);
            int namespaceId = namespaces.id(element.namespace());
            MessageElement signature = element.signature().orElse(null);
            writeElement(element, namespaceId, signature == null ? 0 : HAS_SIGNATURE, frequent, out);
            if (signature != null) {
                writeElement(signature, namespaceId, 0, frequent, out);
            }
        }
    }

    private static void writeElement(
            MessageElement element, int namespaceId, int signatureFlag, boolean frequent, WireOutput out) {
        boolean hasType = hasType(element);
        out.u32(BinaryFormat.ELEMENT_MAGIC);
        out.u8(namespaceId);
        out.u8((hasType ? HAS_TYPE : 0) | signatureFlag);
        writeName(element.name(), frequent, out);
        if (hasType) {
            writeName(element.type(), frequent, out);
        }
        out.u32((int) element.size());
        out.payload(element.payload());
    }

    private static void writeName(String name, boolean frequent, WireOutput out) {
        if (frequent) {
            out.name(name);
        } else {
            out.string(name);
        }
    }
}
