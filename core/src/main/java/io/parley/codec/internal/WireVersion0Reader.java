package io.parley.codec.internal;

import io.netty.buffer.ByteBuf;
import io.parley.codec.MessageLimits;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.Arrays;

/** Reads wire version 0. Bytes after the last counted element are ignored, as in JXSE, because JXSE 2.7 appends a trailer. */
final class WireVersion0Reader {
    /** The objects of an element take about as much time as so many bytes of strings. */
    private static final long ENTRY_COST = 256;

    /** Messages of fewer elements need no builder, which would be garbage of its own. */
    private static final int MAX_ELEMENTS_OF_ARRAY = 64;

    private static final int MIN_NAMESPACE_BYTES = 2;

    /** The namespaces of a message that lists none. */
    private static final String[] BUILT_IN_NAMESPACES = {BinaryFormat.NAMESPACE_0, BinaryFormat.NAMESPACE_1};

    private final WireInput in;
    private final MessageLimits limits;
    private final String[] namespaces;
    private boolean frequentNames;

    private WireVersion0Reader(WireInput in, MessageLimits limits) {
        this.in = in;
        this.limits = limits;
        this.namespaces = readNamespaces(in, limits);
    }

    /** Reads a message after its version byte. */
    static Message read(WireInput in, MessageLimits limits) {
        return new WireVersion0Reader(in, limits).readElements();
    }

    /**
     * Returns whether the counts of a message show that reading it, without the content of its elements, costs at most {@code maxCost}:
     * the bytes of its strings, and {@link #ENTRY_COST} for each element and namespace. Returns false if the message is malformed or not
     * of this version.
     */
    static boolean costsAtMost(int maxCost, ByteBuf message, MessageLimits limits) {
        ByteBuf in = message.slice();
        if (in.readableBytes() < WireVersion0Writer.MESSAGE_BYTES) {
            return false;
        }
        in.skipBytes(Integer.BYTES);
        if (in.readByte() != BinaryFormat.VERSION_0) {
            return false;
        }
        int listed = in.readUnsignedShort();
        if (listed * ENTRY_COST > maxCost) {
            return false;
        }
        for (int i = 0; i < listed; i++) {
            int length = in.readUnsignedShort();
            if (length + Short.BYTES > in.readableBytes()) { // another length or the count of elements follows
                return false;
            }
            in.skipBytes(length);
        }
        int elements = in.readUnsignedShort();
        // A count of 0 may mean any number. An element and its signature have a name and a type each.
        long maxStringBytes = (listed + 4L * elements) * (WireVersion0Writer.ELEMENT_BYTES + limits.maxNameBytes());
        return elements > 0
                && Math.min(maxStringBytes, message.readableBytes()) + (listed + elements) * ENTRY_COST <= maxCost;
    }

    private static String[] readNamespaces(WireInput in, MessageLimits limits) {
        int listed = in.u16("namespace count");
        in.checkCount("namespaces", listed, MIN_NAMESPACE_BYTES, "maxNamespaces", limits.maxNamespaces());
        if (listed == 0) {
            return BUILT_IN_NAMESPACES;
        }
        String[] namespaces = Arrays.copyOf(BUILT_IN_NAMESPACES, BinaryFormat.FIRST_LISTED_ID + listed);
        for (int i = BinaryFormat.FIRST_LISTED_ID; i < namespaces.length; i++) {
            namespaces[i] = in.string("namespace");
        }
        return namespaces;
    }

    private Message readElements() {
        int count = in.u16("element count");
        if (count == 0) {
            return readUncounted();
        }
        in.checkCount("elements", count, WireVersion0Writer.ELEMENT_BYTES, "maxElements", limits.maxElements());
        frequentNames = FrequentNames.serves(count);
        if (count == 1) {
            return Message.of(readElement());
        }
        if (count > MAX_ELEMENTS_OF_ARRAY) {
            Message.Builder message = Message.compactBuilder();
            for (int i = 0; i < count; i++) {
                message.add(readElement());
            }
            return message.build();
        }
        MessageElement[] elements = new MessageElement[count];
        for (int i = 0; i < count; i++) {
            elements[i] = readElement();
        }
        return Message.of(elements);
    }

    /** Reads elements until the end of the message. A count of 0 may mean that the writer did not know the count. */
    private Message readUncounted() {
        Message.Builder message = Message.compactBuilder();
        while (in.remaining() > 0) {
            if (message.size() == limits.maxElements()) {
                throw in.overLimit("elements", message.size() + 1L, "maxElements", limits.maxElements());
            }
            message.add(readElement());
        }
        return message.build();
    }

    private MessageElement readElement() {
        in.magic(BinaryFormat.ELEMENT_MAGIC, "element");
        int namespaceId = in.u8("namespace id");
        if (namespaceId >= namespaces.length) {
            throw in.malformed("namespace id: " + namespaceId + " (expected: < " + namespaces.length + ")");
        }
        int flags = checkedFlags(WireVersion0Writer.HAS_TYPE | WireVersion0Writer.HAS_SIGNATURE);
        MessageElement element = readBody(namespaces[namespaceId], flags);
        return (flags & WireVersion0Writer.HAS_SIGNATURE) == 0
                ? element
                : element.withSignature(readSignature(element.namespace()));
    }

    /** Reads a signature. Its namespace id is ignored; a signature of a signature is rejected. */
    private MessageElement readSignature(String namespace) {
        in.magic(BinaryFormat.ELEMENT_MAGIC, "signature element");
        in.u8("namespace id");
        return readBody(namespace, checkedFlags(WireVersion0Writer.HAS_TYPE));
    }

    private int checkedFlags(int known) {
        int flags = in.u8("element flags");
        if ((flags & ~known) != 0) {
            throw in.malformed(String.format("element flags: %02x (expected: only bits of %02x)", flags, known));
        }
        return flags;
    }

    private MessageElement readBody(String namespace, int flags) {
        String name = frequentNames ? in.name("element name") : in.string("element name");
        String type = (flags & WireVersion0Writer.HAS_TYPE) == 0 ? MessageElement.TYPE_BYTES : in.type("type");
        Payload content = in.content(in.u32("content length"));
        return in.element(namespace, name, type, content);
    }
}
