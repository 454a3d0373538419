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

/** A parser as a program would use it: made once, then given one document after the other. */
public enum DocumentParser {
    /** Xerces as the JDK has it. */
    XERCES_SAX("xerces-sax", false) {
        @Override
        public Parser open() throws Exception {
            SAXParserFactory factory = SAXParserFactory.newDefaultInstance();
            factory.setNamespaceAware(true);
            return sax(factory.newSAXParser().getXMLReader());
        }
    },
    /** Woodstox. */
    WOODSTOX_STAX("woodstox-stax", false) {
        @Override
        public Parser open() {
            return stax(new WstxInputFactory());
        }
    },
    /** Aalto. */
    AALTO_STAX("aalto-stax", false) {
        @Override
        public Parser open() {
            return stax(new InputFactoryImpl());
        }
    },
    /** Aalto by callbacks. */
    AALTO_SAX("aalto-sax", false) {
        @Override
        public Parser open() throws Exception {
            return sax(new SAXParserFactoryImpl().newSAXParser().getXMLReader());
        }
    },
    /** The Fast Infoset library by callbacks. */
    FAST_INFOSET_SAX("fastinfoset-sax", true) {
        @Override
        public Parser open() {
            SAXDocumentParser parser = new SAXDocumentParser();
            return document -> {
                SaxLengthCounter tally = new SaxLengthCounter();
                parser.setContentHandler(tally);
                parser.parse(new ByteArrayInputStream(document));
                return tally.total();
            };
        }
    },
    /** The Fast Infoset library. */
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

    /** The one of that label. */
    public static DocumentParser labelled(String label) {
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

    /** Those that read text. */
    public static List<String> ofText() {
        return Arrays.stream(values())
                .filter(parser -> !parser.fastInfoset)
                .map(DocumentParser::label)
                .toList();
    }

    /** The word for it in results. */
    public String label() {
        return label;
    }

    /** The form of the document that it reads. */
    public byte[] input(EmployeeDocument document) {
        return fastInfoset ? document.fastInfoset() : document.xml();
    }

    /** A parser that is ready. */
    public abstract Parser open() throws Exception;

    private static Parser sax(XMLReader reader) {
        return document -> {
            SaxLengthCounter tally = new SaxLengthCounter();
            reader.setContentHandler(tally);
            reader.parse(new InputSource(new ByteArrayInputStream(document)));
            return tally.total();
        };
    }

    private static Parser stax(XMLInputFactory factory) {
        return document -> StaxLengthCounter.of(factory.createXMLStreamReader(new ByteArrayInputStream(document)));
    }

    /** Not thread-safe. */
    public interface Parser {

        /** Reads a document to its end; returns how many names and characters it has told, which all parsers agree on. */
        long parse(byte[] document) throws Exception;
    }
}
