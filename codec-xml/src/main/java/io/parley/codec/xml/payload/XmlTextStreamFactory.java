package io.parley.codec.xml.payload;

import com.ctc.wstx.api.WstxInputProperties;
import com.ctc.wstx.api.WstxOutputProperties;
import com.ctc.wstx.stax.WstxInputFactory;
import com.ctc.wstx.stax.WstxOutputFactory;
import io.parley.codec.xml.internal.IsolatedInputFactory;
import io.parley.error.ErrorCode;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.XMLStreamWriter;
import org.codehaus.stax2.XMLInputFactory2;
import org.jspecify.annotations.Nullable;

/**
 * Creates readers and writers of XML text with Woodstox. Thread-safe; Woodstox factories are thread-safe when
 * configured.
 */
final class XmlTextStreamFactory {
    private final XmlLimits limits;
    private final boolean nodesLimited;
    private final WstxInputFactory input = new IsolatedInputFactory();
    private final WstxOutputFactory output = new WstxOutputFactory();

    XmlTextStreamFactory(XmlLimits limits, boolean nodesLimited) {
        this.limits = limits;
        this.nodesLimited = nodesLimited;
        input.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        input.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        input.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, true);
        input.setProperty(XMLInputFactory.IS_VALIDATING, false);
        input.setProperty(XMLInputFactory.IS_COALESCING, false);
        // Errors must be thrown by the method that advances the reader, not by the one that returns the text.
        input.setProperty(XMLInputFactory2.P_LAZY_PARSING, false);
        // Text is one event, as in the binary form. The size of the document bounds it.
        input.setProperty(WstxInputProperties.P_MIN_TEXT_SEGMENT, Integer.MAX_VALUE);
        // Names from remote peers must not fill the string table of the JVM.
        input.setProperty(XMLInputFactory2.P_INTERN_NAMES, false);
        input.setProperty(XMLInputFactory2.P_INTERN_NS_URIS, false);
        // One more than the limits of BoundedStreamReader: bounds the input that Woodstox buffers before it is
        // rejected.
        input.setProperty(WstxInputProperties.P_MAX_ATTRIBUTES_PER_ELEMENT, limits.maxAttributes() + 1);
        input.setProperty(WstxInputProperties.P_MAX_ELEMENT_DEPTH, limits.maxDepth() + 1);
        input.setProperty(WstxInputProperties.P_MAX_ATTRIBUTE_SIZE, limits.maxBytes());
        input.setProperty(WstxInputProperties.P_MAX_TEXT_LENGTH, limits.maxBytes());
        output.setProperty(WstxOutputProperties.P_OUTPUT_VALIDATE_NAMES, true);
        output.setProperty(WstxOutputProperties.P_OUTPUT_VALIDATE_CONTENT, true);
    }

    /** Returns the charset in the type of an element, or {@code null} if the document determines the charset. */
    static @Nullable Charset charsetOf(MessageElement element) {
        String type = element.type();
        int parameters = type.indexOf(';');
        if (parameters < 0
                || !type.substring(parameters).toLowerCase(Locale.ROOT).contains("charset")) {
            return null;
        }
        return element.charset()
                .orElseThrow(
                        () -> ErrorCode.MALFORMED_MESSAGE.exception("XML element: unknown charset in type " + type));
    }

    XMLStreamReader reader(Payload document, @Nullable Charset charset) {
        try {
            // A byte order mark has precedence over the charset parameter (RFC 7303, section 3).
            XMLStreamReader reader = charset == null || hasByteOrderMark(document)
                    ? input.createXMLStreamReader(document.openStream())
                    : input.createXMLStreamReader(document.openStream(), charset.name());
            return new BoundedStreamReader(reader, limits, nodesLimited);
        } catch (XMLStreamException | RuntimeException e) {
            throw BoundedStreamReader.malformed(e);
        }
    }

    private static boolean hasByteOrderMark(Payload document) {
        if (document.size() < 2) {
            return false;
        }
        byte[] bytes = document.array();
        int first = bytes[document.arrayOffset()] & 0xFF;
        int second = bytes[document.arrayOffset() + 1] & 0xFF;
        return (first == 0xFE && second == 0xFF)
                || (first == 0xFF && second == 0xFE)
                || (first == 0xEF && second == 0xBB);
    }

    void write(OutputStream target, XmlBody body) throws XMLStreamException {
        XMLStreamWriter writer = output.createXMLStreamWriter(target, StandardCharsets.UTF_8.name());
        // The XML declaration is omitted, because the type of the element has the same information.
        XmlBodyWriter content = new XmlBodyWriter(writer);
        body.writeTo(content);
        content.endElements();
        writer.writeEndDocument();
        writer.close();
    }
}
