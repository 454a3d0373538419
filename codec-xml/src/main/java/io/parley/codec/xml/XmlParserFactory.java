package io.parley.codec.xml;

import com.ctc.wstx.api.WstxInputProperties;
import com.ctc.wstx.stax.WstxInputFactory;
import com.ctc.wstx.util.SymbolTable;
import io.parley.codec.xml.internal.FormNames;
import java.io.InputStream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import org.codehaus.stax2.XMLInputFactory2;
import org.codehaus.stax2.XMLStreamReader2;

/**
 * Makes parsers that read no declarations, fetch nothing and keep nothing of what they have read. The class is named here
 * and never looked up: which parser is found on a class path must not decide what a stranger's document may do.
 */
final class XmlParserFactory {
    /** Three are known; others are skipped, but nobody needs many. */
    static final int MAX_ATTRIBUTES = 64;

    private final WstxInputFactory factory = new IsolatedInputFactory();

    XmlParserFactory() {
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, false);
        // Text is read when it is asked for, so it can go by without being collected.
        factory.setProperty(XMLInputFactory.IS_COALESCING, false);
        factory.setProperty(XMLInputFactory2.P_LAZY_PARSING, true);
        factory.setProperty(WstxInputProperties.P_MAX_ATTRIBUTES_PER_ELEMENT, MAX_ATTRIBUTES);
        factory.setProperty(
                WstxInputProperties.P_MAX_ATTRIBUTE_SIZE, Integer.MAX_VALUE); // XmlInput has a closer eye on it
        factory.addSymbol(FormNames.MESSAGE);
        factory.addSymbol(FormNames.VERSION);
        factory.addSymbol(FormNames.ELEMENT);
        factory.addSymbol(FormNames.NAME);
        factory.addSymbol(FormNames.TYPE);
        factory.addSymbol(FormNames.ENCODING);
    }

    /** Reads the XML declaration, if there is one. */
    XMLStreamReader2 open(InputStream in) throws XMLStreamException {
        return (XMLStreamReader2) factory.createXMLStreamReader(in);
    }

    /** Parsers share a table of names; without this, what strangers call their attributes would stay in it. */
    private static final class IsolatedInputFactory extends WstxInputFactory {
        @Override
        public synchronized void updateSymbolTable(SymbolTable ofOneDocument) {
            // nothing is kept
        }
    }
}
