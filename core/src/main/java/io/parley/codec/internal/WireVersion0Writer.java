package io.parley.codec.internal;

import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes wire version 0, byte for byte like JXSE 2.5. */
final class WireVersion0Writer {
    static final int HAS_TYPE = 0x01;
    static final int HAS_SIGNATURE = 0x04;

    /** Magic, version and the two counts. */
    static final int MESSAGE_BYTES = 4 + 1 + 2 + 2;
    /** Magic, namespace, flags, length of the name and length of the content. */
    static final int ELEMENT_BYTES = 4 + 1 + 1 + 2 + 4;

    /** The encoded type of text elements, the most frequent type, with its length. */
    private static final byte[] TYPE_TEXT_FIELD = ('\0'
                    + Character.toString(MessageElement.TYPE_TEXT.length())
                    + MessageElement.TYPE_TEXT)
            .getBytes(StandardCharsets.US_ASCII);

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
        for (int i = 0; i < elements.size(); i++) {
            MessageElement element = elements.get(i);
            int namespaceId = namespaces.id(element.namespace());
            MessageElement signature = element.signature().orElse(null);
            writeElement(element, namespaceId, signature == null ? 0 : HAS_SIGNATURE, out);
            if (signature != null) {
                writeElement(signature, namespaceId, 0, out);
            }
        }
    }

    private static void writeElement(MessageElement element, int namespaceId, int signatureFlag, WireOutput out) {
        boolean hasType = hasType(element);
        out.u32(BinaryFormat.ELEMENT_MAGIC);
        out.u8(namespaceId);
        out.u8((hasType ? HAS_TYPE : 0) | signatureFlag);
        out.string(element.name());
        if (hasType) {
            writeType(element.type(), out);
        }
        out.u32((int) element.size());
        out.payload(element.payload());
    }

    private static void writeType(String type, WireOutput out) {
        if (type.equals(MessageElement.TYPE_TEXT)) {
            out.bytes(TYPE_TEXT_FIELD);
        } else {
            out.string(type);
        }
    }
}
