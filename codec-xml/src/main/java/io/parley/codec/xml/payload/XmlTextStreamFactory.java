package io.parley.codec.xml.payload;

import com.ctc.wstx.api.WstxInputProperties;
import com.ctc.wstx.api.WstxOutputProperties;
import com.ctc.wstx.stax.WstxInputFactory;
import com.ctc.wstx.stax.WstxOutputFactory;
import com.ctc.wstx.util.SymbolTable;
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

/** XML text, by Woodstox. Its factories may be used from any thread once they are set up. */
final class XmlTextStreamFactory {
    private final XmlLimits limits;
    private final WstxInputFactory input = new IsolatedInputFactory();
    private final WstxOutputFactory output = new WstxOutputFactory();

    XmlTextStreamFactory(XmlLimits limits) {
        this.limits = limits;
        input.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        input.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        input.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, true);
        input.setProperty(XMLInputFactory.IS_VALIDATING, false);
        input.setProperty(XMLInputFactory.IS_COALESCING, false);
        // Errors shall come from where the reader moves on, not from where a text is asked for.
        input.setProperty(XMLInputFactory2.P_LAZY_PARSING, false);
        // Text in one piece, as the binary form has it. It can't be longer than the document.
        input.setProperty(WstxInputProperties.P_MIN_TEXT_SEGMENT, Integer.MAX_VALUE);
        // Names of strangers are no business of the JVM's table of strings.
        input.setProperty(XMLInputFactory2.P_INTERN_NAMES, false);
        input.setProperty(XMLInputFactory2.P_INTERN_NS_URIS, false);
        // One beyond ours: these only keep Woodstox from collecting what our reader then refuses.
        input.setProperty(WstxInputProperties.P_MAX_ATTRIBUTES_PER_ELEMENT, limits.maxAttributes() + 1);
        input.setProperty(WstxInputProperties.P_MAX_ELEMENT_DEPTH, limits.maxDepth() + 1);
        input.setProperty(WstxInputProperties.P_MAX_ATTRIBUTE_SIZE, limits.maxBytes());
        input.setProperty(WstxInputProperties.P_MAX_TEXT_LENGTH, limits.maxBytes());
        output.setProperty(WstxOutputProperties.P_OUTPUT_VALIDATE_NAMES, true);
        output.setProperty(WstxOutputProperties.P_OUTPUT_VALIDATE_CONTENT, true);
    }

    /** The charset that the type's parameter names; null leaves it to the document to tell. */
    static @Nullable Charset charsetOf(MessageElement element) {
        String type = element.type();
        int parameters = type.indexOf(';');
        if (parameters < 0
                || !type.substring(parameters).toLowerCase(Locale.ROOT).contains("charset")) {
            return null;
        }
        return element.charset()
                .orElseThrow(() ->
                        ErrorCode.MALFORMED_MESSAGE.exception("XML element: unknown charset in its type " + type));
    }

    XMLStreamReader reader(Payload document, @Nullable Charset charset) {
        try {
            // A byte order mark has the last word, as RFC 7303 wants it.
            XMLStreamReader reader = charset == null || hasByteOrderMark(document)
                    ? input.createXMLStreamReader(document.openStream())
                    : input.createXMLStreamReader(document.openStream(), charset.name());
            return new BoundedStreamReader(reader, limits);
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
        // No declaration: the element's type says all that one could.
        XmlBodyWriter content = new XmlBodyWriter(writer);
        body.writeTo(content);
        content.endElements();
        writer.writeEndDocument();
        writer.close();
    }

    /** Parsers share a table of names; without this, what strangers call their elements would stay in it. */
    private static final class IsolatedInputFactory extends WstxInputFactory {
        @Override
        public synchronized void updateSymbolTable(SymbolTable ofOneDocument) {
            // nothing is kept
        }
    }
}
