package io.parley.examples.cbor;

import io.netty.buffer.ByteBufUtil;
import io.parley.error.ErrorCode;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JsonGenerator;

/** Writes messages and computes their encoded size. */
final class CborWriter {
    private static final int FIELDS = 4;
    private static final int FIELDS_WITH_SIGNATURE = 7;

    private CborWriter() {}

    static void write(Message message, JsonGenerator out) {
        out.writeStartArray(message, message.size());
        for (MessageElement element : message) {
            MessageElement signature = element.signature().orElse(null);
            out.writeStartArray(element, signature == null ? FIELDS : FIELDS_WITH_SIGNATURE);
            writeString(element.namespace(), out);
            writeFields(element, out);
            if (signature != null) {
                writeFields(signature, out);
            }
            out.writeEndArray();
        }
        out.writeEndArray();
    }

    private static void writeFields(MessageElement element, JsonGenerator out) {
        writeString(element.name(), out);
        writeString(element.type(), out);
        Payload content = element.payload();
        // Files are read here. A file that is missing by now fails with NOT_ENCODABLE.
        try (InputStream bytes = content.openStream()) {
            out.writeBinary(bytes, (int) content.size());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close payload: " + content, e);
        }
    }

    private static void writeString(String string, JsonGenerator out) {
        // Not writeString, which divides long strings into chunks, so that their size is not known in advance.
        byte[] utf8 = string.getBytes(StandardCharsets.UTF_8);
        out.writeUTF8String(utf8, 0, utf8.length);
    }

    /**
     * Returns the encoded size of a message, in bytes.
     *
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE if a string is not valid Unicode
     */
    static long size(Message message) {
        long size = sizeWithHead(message.size()) - message.size();
        for (MessageElement element : message) {
            MessageElement signature = element.signature().orElse(null);
            size += 1 + stringSize("namespace", element.namespace(), element) + fieldsSize(element);
            size += signature == null ? 0 : fieldsSize(signature);
        }
        return size;
    }

    private static long fieldsSize(MessageElement element) {
        return stringSize("name", element.name(), element)
                + stringSize("type", element.type(), element)
                + sizeWithHead(element.size());
    }

    private static long stringSize(String field, String string, MessageElement element) {
        if (!isUnicode(string)) {
            throw ErrorCode.NOT_ENCODABLE.exception(
                    field + " of " + element + ": unpaired surrogate (expected: valid Unicode)");
        }
        return sizeWithHead(ByteBufUtil.utf8Bytes(string));
    }

    /** Returns whether UTF-8 can represent a string. An unpaired surrogate would arrive as a question mark. */
    static boolean isUnicode(String string) {
        return StandardCharsets.UTF_8.newEncoder().canEncode(string);
    }

    private static long sizeWithHead(long length) {
        if (length < 24) {
            return length + 1;
        }
        return length + (length < 1 << 8 ? 2 : length < 1 << 16 ? 3 : 5);
    }
}
