package io.parley.endpoint.internal.frame;

import io.netty.buffer.ByteBuf;
import io.parley.error.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The tagged fields of a control frame: tag, length, value, until the frame ends. Tags may repeat. Unknown tags are
 * skipped, so later versions can add fields.
 */
final class TaggedFields {

    private static final class Field {
        private final int tag;
        private final byte[] value;

        private Field(int tag, byte[] value) {
            this.tag = tag;
            this.value = value;
        }
    }

    private final List<Field> fields = new ArrayList<>();

    static TaggedFields read(ByteBuf in) {
        TaggedFields result = new TaggedFields();
        while (in.isReadable()) {
            int tag = Varint.readInt(in, "field tag");
            int length = Varint.readInt(in, "field length");
            if (length > in.readableBytes()) {
                throw ErrorCode.PROTOCOL_VIOLATION.exception("field " + tag + ": " + length + " bytes (expected: <= "
                        + in.readableBytes() + ", the rest of the frame)");
            }
            byte[] value = new byte[length];
            in.readBytes(value);
            result.fields.add(new Field(tag, value));
        }
        return result;
    }

    void write(ByteBuf out) {
        for (Field field : fields) {
            Varint.write(out, field.tag);
            Varint.write(out, field.value.length);
            out.writeBytes(field.value);
        }
    }

    TaggedFields bytes(int tag, byte[] value) {
        fields.add(new Field(tag, value));
        return this;
    }

    TaggedFields text(int tag, String value) {
        return bytes(tag, value.getBytes(StandardCharsets.UTF_8));
    }

    TaggedFields number(int tag, long value) {
        byte[] bytes = new byte[8];
        for (int i = 0; i < 8; i++) {
            bytes[i] = (byte) (value >>> (56 - 8 * i));
        }
        return bytes(tag, bytes);
    }

    Optional<byte[]> bytes(int tag) {
        return fields.stream()
                .filter(field -> field.tag == tag)
                .map(field -> field.value)
                .findFirst();
    }

    Optional<String> text(int tag) {
        return bytes(tag).map(value -> new String(value, StandardCharsets.UTF_8));
    }

    List<String> texts(int tag) {
        return fields.stream()
                .filter(field -> field.tag == tag)
                .map(field -> new String(field.value, StandardCharsets.UTF_8))
                .toList();
    }

    /** Returns a number of up to eight bytes, in big-endian order. */
    Optional<Long> number(int tag) {
        return bytes(tag).map(value -> {
            if (value.length > 8) {
                throw ErrorCode.PROTOCOL_VIOLATION.exception(
                        "field " + tag + ": number of " + value.length + " bytes (expected: <= 8)");
            }
            long number = 0;
            for (byte next : value) {
                number = (number << 8) | (next & 0xff);
            }
            return number;
        });
    }

    OptionalLong optionalNumber(int tag) {
        return number(tag).map(OptionalLong::of).orElse(OptionalLong.empty());
    }

    long requiredNumber(int tag, String name) {
        return number(tag).orElseThrow(() -> missing(name));
    }

    String requiredText(int tag, String name) {
        return text(tag).orElseThrow(() -> missing(name));
    }

    byte[] requiredBytes(int tag, String name) {
        return bytes(tag).orElseThrow(() -> missing(name));
    }

    private static RuntimeException missing(String name) {
        return ErrorCode.PROTOCOL_VIOLATION.exception("control frame: missing field: " + name);
    }
}
