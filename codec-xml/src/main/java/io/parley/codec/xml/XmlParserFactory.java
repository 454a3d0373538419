package io.parley.codec.xml;

import com.ctc.wstx.api.WstxInputProperties;
import com.ctc.wstx.stax.WstxInputFactory;
import io.parley.codec.xml.internal.FormNames;
import io.parley.codec.xml.internal.IsolatedInputFactory;
import java.io.InputStream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import org.codehaus.stax2.XMLInputFactory2;
import org.codehaus.stax2.XMLStreamReader2;

/**
 * Creates parsers that read no declarations, load no external resources and retain nothing of a document. The parser
 * class is fixed and never looked up, because the class path must not decide how a document of a remote peer is
 * processed. Thread-safe.
 */
final class XmlParserFactory {
    /** The format has three attributes. Unknown attributes are skipped, but their number is limited. */
    static final int MAX_ATTRIBUTES = 64;

    private final WstxInputFactory factory = new IsolatedInputFactory();

    XmlParserFactory() {
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, false);
        // Text is parsed on access, so that it can be streamed without being buffered.
        factory.setProperty(XMLInputFactory.IS_COALESCING, false);
        factory.setProperty(XMLInputFactory2.P_LAZY_PARSING, true);
        factory.setProperty(WstxInputProperties.P_MAX_ATTRIBUTES_PER_ELEMENT, MAX_ATTRIBUTES);
        // XmlInput enforces a stricter limit.
        factory.setProperty(WstxInputProperties.P_MAX_ATTRIBUTE_SIZE, Integer.MAX_VALUE);
        factory.addSymbol(FormNames.MESSAGE);
        factory.addSymbol(FormNames.VERSION);
        factory.addSymbol(FormNames.ELEMENT);
        factory.addSymbol(FormNames.NAME);
        factory.addSymbol(FormNames.TYPE);
        factory.addSymbol(FormNames.ENCODING);
    }

    /** Opens a parser and reads the XML declaration, if there is one. */
    XMLStreamReader2 open(InputStream in) throws XMLStreamException {
        return (XMLStreamReader2) factory.createXMLStreamReader(in);
    }
}
