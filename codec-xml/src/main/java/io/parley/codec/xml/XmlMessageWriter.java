package io.parley.codec.xml;

import io.parley.codec.MessageLimits;
import io.parley.codec.xml.internal.Content;
import io.parley.codec.xml.internal.ElementForm;
import io.parley.codec.xml.internal.FormEncoder;
import io.parley.codec.xml.internal.FormNames;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Writes the document of one message in the canonical form: UTF-8, all attributes in a fixed order, no white space
 * between elements. The form and the size are computed before memory for the document is allocated.
 */
final class XmlMessageWriter {
    private static final byte[] MESSAGE_START = bytes("<?xml version=\"1.0\" encoding=\"UTF-8\"?><!DOCTYPE "
            + FormNames.MESSAGE + "><" + FormNames.MESSAGE + " " + FormNames.VERSION + "=\"" + FormNames.VERSION_0
            + "\">");
    private static final byte[] MESSAGE_END = bytes("</" + FormNames.MESSAGE + ">");
    private static final byte[] ELEMENT_NAME = bytes("<" + FormNames.ELEMENT + " " + FormNames.NAME + "=\"");
    private static final byte[] ELEMENT_TYPE = bytes("\" " + FormNames.TYPE + "=\"");
    private static final byte[] CHARACTERS = bytes("\">");
    private static final byte[] OCTETS = bytes("\" " + FormNames.ENCODING + "=\"" + FormNames.BASE64 + "\">");
    private static final byte[] ELEMENT_END = bytes("</" + FormNames.ELEMENT + ">");

    /** The size of a document without elements. */
    private static final int MESSAGE_BYTES = MESSAGE_START.length + MESSAGE_END.length;

    private static final int ELEMENT_BYTES = ELEMENT_NAME.length + ELEMENT_TYPE.length + ELEMENT_END.length;

    /** Bytes converted to base64 at a time. A multiple of three, so that the chunks need no padding between them. */
    private static final int CHUNK_BYTES = 12 * 1024;

    private final List<ElementForm> elements;
    private final int size;

    private XmlMessageWriter(List<ElementForm> elements, int size) {
        this.elements = elements;
        this.size = size;
    }

    /**
     * Returns a writer of a message, after checking the limits.
     *
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE or MESSAGE_TOO_LARGE, see {@link FormEncoder#next}
     */
    static XmlMessageWriter of(Message message, MessageLimits limits) {
        FormEncoder encoder = FormEncoder.of(message, limits);
        List<MessageElement> elements = message.elements();
        List<ElementForm> forms = new ArrayList<>(elements.size());
        long size = MESSAGE_BYTES;
        for (int i = 0; i < elements.size(); i++) {
            ElementForm form = encoder.next(elements.get(i));
            size += measure(form);
            forms.add(form);
        }
        FormEncoder.checkMessageBytes(size, limits);
        return new XmlMessageWriter(forms, (int) size);
    }

    /** Returns the size of the document in bytes. */
    int size() {
        return size;
    }

    private static byte[] bytes(String ascii) {
        return ascii.getBytes(StandardCharsets.US_ASCII);
    }

    private static long measure(ElementForm element) {
        return ELEMENT_BYTES
                + XmlEscaper.ATTRIBUTE.measure(element.name())
                + XmlEscaper.ATTRIBUTE.measure(element.type())
                + measure(element.content());
    }

    private static long measure(Content content) {
        if (content instanceof Content.Utf8 utf8) {
            Payload payload = utf8.payload();
            return CHARACTERS.length
                    + XmlEscaper.TEXT.measure(payload.array(), payload.arrayOffset(), (int) payload.size());
        }
        if (content instanceof Content.Text text) {
            return CHARACTERS.length + XmlEscaper.TEXT.measure(text.text());
        }
        return OCTETS.length + (((Content.Octets) content).payload().size() + 2) / 3 * 4;
    }

    /** Writes the document to a buffer with {@link #size} remaining bytes. */
    void writeTo(ByteBuffer out) {
        out.put(MESSAGE_START);
        for (int i = 0; i < elements.size(); i++) {
            write(elements.get(i), out);
        }
        out.put(MESSAGE_END);
    }

    private static void write(ElementForm element, ByteBuffer out) {
        out.put(ELEMENT_NAME);
        XmlEscaper.ATTRIBUTE.write(element.name(), out);
        out.put(ELEMENT_TYPE);
        XmlEscaper.ATTRIBUTE.write(element.type(), out);
        write(element.content(), out);
        out.put(ELEMENT_END);
    }

    private static void write(Content content, ByteBuffer out) {
        if (content instanceof Content.Utf8 utf8) {
            Payload payload = utf8.payload();
            out.put(CHARACTERS);
            XmlEscaper.TEXT.write(payload.array(), payload.arrayOffset(), (int) payload.size(), out);
        } else if (content instanceof Content.Text text) {
            out.put(CHARACTERS);
            XmlEscaper.TEXT.write(text.text(), out);
        } else {
            out.put(OCTETS);
            writeBase64(((Content.Octets) content).payload(), out);
        }
    }

    private static void writeBase64(Payload payload, ByteBuffer out) {
        ByteBuffer chunk = payload.hasArray()
                ? ByteBuffer.wrap(payload.array(), payload.arrayOffset(), (int) payload.size())
                : ByteBuffer.allocate((int) Math.min(CHUNK_BYTES, payload.size()));
        for (long done = 0; done < payload.size(); ) {
            int length = (int) Math.min(CHUNK_BYTES, payload.size() - done);
            if (payload.hasArray()) {
                chunk.limit(chunk.position() + length);
            } else {
                payload.readInto(chunk.clear().limit(length), done);
                chunk.flip();
            }
            out.put(Base64.getEncoder().encode(chunk));
            done += length;
        }
    }
}
