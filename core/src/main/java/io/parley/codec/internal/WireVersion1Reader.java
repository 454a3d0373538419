package io.parley.codec.internal;

import io.parley.codec.MessageLimits;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;

/**
 * Reads wire version 1. Strings in UTF-16 or UTF-32 are rejected because no source defines the unit of their lengths.
 * Content encodings are rejected because a {@link Message} cannot represent them.
 */
final class WireVersion1Reader {
    private static final int MIN_STRING_BYTES = 2;
    private static final int SIGNATURE_FLAGS =
            WireVersion1Writer.LONG_LENGTHS | WireVersion1Writer.LITERAL_NAME | WireVersion1Writer.HAS_TYPE;
    private static final int ELEMENT_FLAGS = SIGNATURE_FLAGS | WireVersion1Writer.HAS_SIGNATURE;

    private final WireInput in;
    private final MessageLimits limits;
    private final String[] strings;

    private WireVersion1Reader(WireInput in, MessageLimits limits) {
        this.in = in;
        this.limits = limits;
        this.strings = readStrings(in, limits);
    }

    /** Reads a message after its version byte. */
    static Message read(WireInput in, MessageLimits limits) {
        int flags = in.u8("message flags");
        if (flags != 0) {
            throw in.malformed(String.format("message flags: %02x (expected: 00, strings in UTF-8)", flags));
        }
        return new WireVersion1Reader(in, limits).readElements();
    }

    private static String[] readStrings(WireInput in, MessageLimits limits) {
        int listed = in.u16("string count");
        in.checkCount("strings", listed, MIN_STRING_BYTES, "maxNamespaces", limits.maxNamespaces());
        String[] strings = new String[BinaryFormat.FIRST_LISTED_ID + listed];
        strings[0] = BinaryFormat.NAMESPACE_0;
        strings[1] = BinaryFormat.NAMESPACE_1;
        for (int i = BinaryFormat.FIRST_LISTED_ID; i < strings.length; i++) {
            strings[i] = in.type("string");
        }
        return strings;
    }

    private Message readElements() {
        int count = in.u16("element count");
        in.checkCount("elements", count, WireVersion1Writer.ELEMENT_BYTES, "maxElements", limits.maxElements());
        Message.Builder message = Message.compactBuilder();
        // A count of 0 means "until the message ends".
        while (count == 0 ? in.remaining() > 0 : message.size() < count) {
            if (message.size() == limits.maxElements()) {
                throw in.overLimit("elements", message.size() + 1L, "maxElements", limits.maxElements());
            }
            message.add(readElement());
        }
        return message.build();
    }

    private MessageElement readElement() {
        in.magic(BinaryFormat.ELEMENT_MAGIC, "element");
        int flags = checkedFlags(ELEMENT_FLAGS);
        MessageElement element = readBody(flags);
        if ((flags & WireVersion1Writer.HAS_SIGNATURE) == 0) {
            return element;
        }
        in.magic(BinaryFormat.ELEMENT_MAGIC, "signature element");
        return element.withSignature(readBody(checkedFlags(SIGNATURE_FLAGS)));
    }

    private int checkedFlags(int known) {
        int flags = in.u8("element flags");
        if ((flags & ~known) != 0) {
            throw in.malformed(String.format(
                    "element flags: %02x (expected: only bits of %02x; content encodings are not supported)",
                    flags, known));
        }
        return flags;
    }

    private MessageElement readBody(int flags) {
        String namespace = token("namespace");
        String name =
                (flags & WireVersion1Writer.LITERAL_NAME) == 0 ? token("element name") : in.string("element name");
        String type = (flags & WireVersion1Writer.HAS_TYPE) == 0 ? MessageElement.TYPE_BYTES : token("type");
        boolean longLength = (flags & WireVersion1Writer.LONG_LENGTHS) != 0;
        Payload content = in.content(longLength ? in.u64("content length") : in.u32("content length"));
        return in.element(namespace, name, type, content);
    }

    private String token(String field) {
        int index = in.u16(field);
        if (index == WireVersion1Writer.LITERAL) {
            return in.type(field);
        }
        if (index >= strings.length) {
            throw in.malformed(field + ": string " + index + " (expected: < " + strings.length + ")");
        }
        return strings[index];
    }
}
