package io.parley.bench.document;

import com.ctc.wstx.stax.WstxInputFactory;
import com.fasterxml.aalto.sax.SAXParserFactoryImpl;
import com.fasterxml.aalto.stax.InputFactoryImpl;
import com.sun.xml.fastinfoset.sax.SAXDocumentParser;
import com.sun.xml.fastinfoset.stax.StAXDocumentParser;
import java.io.ByteArrayInputStream;
import java.util.Arrays;
import java.util.List;
import javax.xml.parsers.SAXParserFactory;
import javax.xml.stream.XMLInputFactory;
import org.xml.sax.InputSource;
import org.xml.sax.XMLReader;

/** A parser in the form in which a program would use it: created once, then used for one document after another. */
public enum DocumentParser {
    /** The Xerces version that is part of the JDK. */
    XERCES_SAX("xerces-sax", false) {
        @Override
        public Parser open() throws Exception {
            SAXParserFactory factory = SAXParserFactory.newDefaultInstance();
            factory.setNamespaceAware(true);
            return sax(factory.newSAXParser().getXMLReader());
        }
    },
    /** Woodstox with StAX. */
    WOODSTOX_STAX("woodstox-stax", false) {
        @Override
        public Parser open() {
            return stax(new WstxInputFactory());
        }
    },
    /** Aalto with StAX. */
    AALTO_STAX("aalto-stax", false) {
        @Override
        public Parser open() {
            return stax(new InputFactoryImpl());
        }
    },
    /** Aalto with SAX. */
    AALTO_SAX("aalto-sax", false) {
        @Override
        public Parser open() throws Exception {
            return sax(new SAXParserFactoryImpl().newSAXParser().getXMLReader());
        }
    },
    /** The Fast Infoset library with SAX. */
    FAST_INFOSET_SAX("fastinfoset-sax", true) {
        @Override
        public Parser open() {
            SAXDocumentParser parser = new SAXDocumentParser();
            return document -> {
                SaxLengthCounter counter = new SaxLengthCounter();
                parser.setContentHandler(counter);
                parser.parse(new ByteArrayInputStream(document));
                return counter.total();
            };
        }
    },
    /** The Fast Infoset library with StAX. */
    FAST_INFOSET_STAX("fastinfoset-stax", true) {
        @Override
        public Parser open() {
            StAXDocumentParser parser = new StAXDocumentParser();
            return document -> {
                parser.setInputStream(new ByteArrayInputStream(document));
                return StaxLengthCounter.of(parser);
            };
        }
    };

    private final String label;
    private final boolean fastInfoset;

    DocumentParser(String label, boolean fastInfoset) {
        this.label = label;
        this.fastInfoset = fastInfoset;
    }

    /** Returns the parser with that label. */
    public static DocumentParser ofLabel(String label) {
        return Arrays.stream(values())
                .filter(parser -> parser.label.equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("parser: %s (expected: one of %s)"
                        .formatted(
                                label,
                                Arrays.stream(values())
                                        .map(DocumentParser::label)
                                        .toList())));
    }

    /** Returns the labels of the parsers that read XML text. */
    public static List<String> ofText() {
        return Arrays.stream(values())
                .filter(parser -> !parser.fastInfoset)
                .map(DocumentParser::label)
                .toList();
    }

    /** Returns the name in results. */
    public String label() {
        return label;
    }

    /** Returns the form of the document that this parser reads. */
    public byte[] input(EmployeeDocument document) {
        return fastInfoset ? document.fastInfoset() : document.xml();
    }

    /** Creates the parser. */
    public abstract Parser open() throws Exception;

    private static Parser sax(XMLReader reader) {
        return document -> {
            SaxLengthCounter counter = new SaxLengthCounter();
            reader.setContentHandler(counter);
            reader.parse(new InputSource(new ByteArrayInputStream(document)));
            return counter.total();
        };
    }

    private static Parser stax(XMLInputFactory factory) {
        return document -> StaxLengthCounter.of(factory.createXMLStreamReader(new ByteArrayInputStream(document)));
    }

    /** Parses one document after another. Not thread-safe. */
    public interface Parser {

        /**
         * Reads a document to its end. Returns the total length of its names and texts, which is the same for all
         * parsers.
         */
        long parse(byte[] document) throws Exception;
    }
}
