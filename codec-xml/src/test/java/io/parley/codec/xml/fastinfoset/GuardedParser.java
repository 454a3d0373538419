package io.parley.codec.xml.fastinfoset;

import com.sun.management.ThreadMXBean;
import com.sun.xml.fastinfoset.sax.SAXDocumentParser;
import com.sun.xml.fastinfoset.stax.StAXDocumentParser;
import io.parley.error.PeerFaultException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import javax.xml.stream.XMLStreamException;
import org.jvnet.fastinfoset.FastInfosetException;
import org.xml.sax.Attributes;
import org.xml.sax.SAXException;
import org.xml.sax.ext.DefaultHandler2;

/**
 * Runs the parsers of the library on documents that the guard accepts. Checks their exceptions, output and allocation.
 */
final class GuardedParser {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    /** The size of a parser with its tables and buffers, and of a stack trace, in bytes. */
    private static final long FIXED_BYTES = 2L << 20;
    /**
     * Builders double their capacity, chars take two bytes and are copied to tables, algorithms use temporary arrays.
     */
    private static final long BYTES_PER_CHARACTER = 40;

    private final FastInfosetLimits limits;

    GuardedParser(FastInfosetLimits limits) {
        this.limits = limits;
    }

    /** Returns whether the guard accepts the document. Fails if a parser does harm with an accepted document. */
    boolean parse(byte[] document) {
        try {
            FastInfosetGuard.check(document, 0, document.length, limits);
        } catch (PeerFaultException e) {
            return false;
        }
        long allocated = parseBySax(document);
        if (allocated > maxAllocatedBytes()) {
            allocated = parseBySax(document); // the first call may have loaded classes
        }
        if (allocated > maxAllocatedBytes()) {
            throw new AssertionError("allocated " + allocated + " bytes");
        }
        parseByStax(document);
        return true;
    }

    /** Parses with the StAX parser, which does not wrap unchecked exceptions. */
    private static void parseByStax(byte[] document) {
        try {
            StAXDocumentParser parser = new StAXDocumentParser(new ByteArrayInputStream(document));
            while (parser.hasNext()) {
                parser.next();
            }
        } catch (XMLStreamException e) {
            // a parser may reject the document
        }
    }

    private long maxAllocatedBytes() {
        return FIXED_BYTES + BYTES_PER_CHARACTER * limits.maxCharacters();
    }

    /** Parses with the SAX parser. Returns the allocated bytes. */
    private long parseBySax(byte[] document) {
        Counter counter = new Counter();
        long before = THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
        try {
            SAXDocumentParser parser = new SAXDocumentParser();
            parser.setContentHandler(counter);
            parser.setLexicalHandler(counter);
            parser.parse(new ByteArrayInputStream(document));
        } catch (FastInfosetException | IOException | SAXException e) {
            // a parser may reject the document
        }
        if (counter.characters > limits.maxCharacters()) {
            throw new AssertionError("reported " + counter.characters + " characters");
        }
        return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
    }

    private static final class Counter extends DefaultHandler2 {
        private long characters;

        @Override
        public void startElement(String uri, String localName, String name, Attributes attributes) {
            characters += name.length();
            for (int i = 0; i < attributes.getLength(); i++) {
                characters +=
                        attributes.getQName(i).length() + attributes.getValue(i).length();
            }
        }

        @Override
        public void characters(char[] chars, int start, int length) {
            characters += length;
        }

        @Override
        public void comment(char[] chars, int start, int length) {
            characters += length;
        }

        @Override
        public void processingInstruction(String target, String data) {
            characters += target.length() + data.length();
        }
    }
}
