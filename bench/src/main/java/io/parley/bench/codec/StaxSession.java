package io.parley.bench.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.codec.xml.XmlMessageCodec;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.codehaus.stax2.io.Stax2ByteArraySource;

/**
 * Decodes the XML format with a given parser and as little work as possible: no limits, no checks, and only documents
 * that {@link XmlMessageCodec} has written in UTF-8. This is a lower bound for the cost of reading XML text.
 */
final class StaxSession implements CodecSession {

    private final CodecSession writer = new XmlMessageCodec().newSession(MessageLimits.DEFAULTS);
    private final XMLInputFactory factory;

    StaxSession(XMLInputFactory factory) {
        this.factory = factory;
        factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, false);
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    }

    @Override
    public ByteBuf encode(Message message, int headroom, ByteBufAllocator allocator) {
        return writer.encode(message, headroom, allocator);
    }

    @Override
    public long encodedSize(Message message) {
        return writer.encodedSize(message);
    }

    @Override
    public Message decode(ByteBuf encoded) {
        try {
            XMLStreamReader reader = factory.createXMLStreamReader(source(encoded));
            try {
                return message(reader);
            } finally {
                reader.close();
            }
        } catch (XMLStreamException problem) {
            throw new IllegalStateException("XML message: cannot parse the output of XmlMessageCodec", problem);
        }
    }

    /** Returns the bytes as an array, which both parsers read without a further copy. */
    private static Stax2ByteArraySource source(ByteBuf encoded) {
        if (encoded.hasArray()) {
            return new Stax2ByteArraySource(
                    encoded.array(), encoded.arrayOffset() + encoded.readerIndex(), encoded.readableBytes());
        }
        byte[] bytes = ByteBufUtil.getBytes(encoded);
        return new Stax2ByteArraySource(bytes, 0, bytes.length);
    }

    private static Message message(XMLStreamReader reader) throws XMLStreamException {
        Message.Builder message = Message.builder();
        while (reader.next() != XMLStreamConstants.START_ELEMENT) {
            // skips the document type up to the root
        }
        while (reader.nextTag() == XMLStreamConstants.START_ELEMENT) {
            message.add(element(reader));
        }
        return message.build();
    }

    private static MessageElement element(XMLStreamReader reader) throws XMLStreamException {
        String name = "";
        String type = "";
        boolean base64 = false;
        for (int i = 0; i < reader.getAttributeCount(); i++) {
            switch (reader.getAttributeLocalName(i)) {
                case "name" -> name = reader.getAttributeValue(i);
                case "mime_type" -> type = reader.getAttributeValue(i);
                default -> base64 = true;
            }
        }
        int colon = name.indexOf(':');
        String text = reader.getElementText();
        byte[] content = base64 ? Base64.getMimeDecoder().decode(text) : text.getBytes(StandardCharsets.UTF_8);
        return MessageElement.of(
                colon < 0 ? "" : name.substring(0, colon), name.substring(colon + 1), type, Payload.of(content));
    }
}
