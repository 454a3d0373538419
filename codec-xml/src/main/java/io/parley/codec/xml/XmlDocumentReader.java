package io.parley.codec.xml;

import io.netty.buffer.ByteBuf;
import io.parley.codec.MessageLimits;
import io.parley.codec.xml.internal.ContentSink;
import io.parley.codec.xml.internal.DecodeErrors;
import io.parley.error.ParleyException;
import java.io.IOException;
import javax.xml.stream.Location;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import org.codehaus.stax2.DTDInfo;
import org.codehaus.stax2.XMLStreamReader2;
import org.jspecify.annotations.Nullable;

/** The events of one document. What the parser throws, whatever it is, comes out as a fault of the peer. */
final class XmlDocumentReader implements AutoCloseable {
    /** For comments and unknown attributes, beyond the longest names and types. */
    private static final int SPARE_PIECE_BYTES = 64 * 1024;
    /** A namespace, a name and a type, if every byte were written as a reference of six characters. */
    private static final int PIECE_BYTES_PER_NAME_BYTE = 3 * 6;

    private static final int MAX_SHOWN_CHARS = 200;
    private static final String FORMAT = "XML message";
    private static final String XML_1_1 = "1.1";

    private final XmlInput in;
    private final XMLStreamReader2 parser;
    private final DecodeErrors faults;

    private XmlDocumentReader(XmlInput in, XMLStreamReader2 parser) {
        this.in = in;
        this.parser = parser;
        this.faults = new DecodeErrors(() -> place(parser));
    }

    /** Begins to read what is readable (borrowed until {@link #close}). */
    static XmlDocumentReader open(XmlParserFactory parsers, ByteBuf bytes, MessageLimits limits) {
        XmlInput in = new XmlInput(bytes, PIECE_BYTES_PER_NAME_BYTE * limits.maxNameBytes() + SPARE_PIECE_BYTES);
        XMLStreamReader2 parser;
        try {
            parser = parsers.open(in);
        } catch (XMLStreamException | RuntimeException e) {
            throw fault(e, new DecodeErrors(() -> FORMAT), in);
        }
        XmlDocumentReader events = new XmlDocumentReader(in, parser);
        // Its character references say what XML 1.0 can't, and its line ends are others.
        if (XML_1_1.equals(parser.getVersion())) {
            throw events.faults.malformed("XML version: 1.1 (expected: 1.0)");
        }
        return events;
    }

    private static String place(XMLStreamReader2 parser) {
        Location location = parser.getLocation();
        return FORMAT + ", line " + location.getLineNumber() + ", column " + location.getColumnNumber();
    }

    /** For faults at the place where the reading stands. */
    DecodeErrors faults() {
        return faults;
    }

    /** The next event, without comments, processing instructions and white space around the root. */
    int next() {
        while (true) {
            int event = nextOfAny();
            if (event != XMLStreamConstants.COMMENT
                    && event != XMLStreamConstants.PROCESSING_INSTRUCTION
                    && event != XMLStreamConstants.SPACE) {
                return event;
            }
        }
    }

    private int nextOfAny() {
        in.beginPiece();
        try {
            return parser.next();
        } catch (XMLStreamException | RuntimeException e) {
            throw fault(e, faults, in);
        }
    }

    /** The name of the element that has begun, with its prefix if it has one. */
    String elementName() {
        return parser.getLocalName();
    }

    /** The value of an attribute of the element that has begun, {@code null} when it is not there. */
    @Nullable
    String attribute(String name) {
        for (int i = 0; i < parser.getAttributeCount(); i++) {
            if (parser.getAttributeLocalName(i).equals(name)) {
                return parser.getAttributeValue(i);
            }
        }
        return null;
    }

    /** Where text is to be passed on to, by {@link #passText}. */
    ContentSinkWriter textTo(ContentSink sink) {
        return new ContentSinkWriter(in, sink);
    }

    /** Passes the text of this event on while it is read. What the sink refuses is thrown as it is. */
    void passText(ContentSinkWriter target) {
        try {
            parser.getText(target, false);
        } catch (ParleyException e) {
            throw e;
        } catch (XMLStreamException | IOException | RuntimeException e) {
            throw fault(e, faults, in);
        }
    }

    /** Refuses a DOCTYPE that declares something or points somewhere; the parser has read neither. */
    void checkDoctype() {
        DTDInfo doctype;
        try {
            doctype = parser.getDTDInfo();
        } catch (XMLStreamException e) {
            throw fault(e, faults, in);
        }
        String subset = doctype.getDTDInternalSubset();
        if (subset != null && !subset.isEmpty()) {
            throw faults.malformed("DOCTYPE: has an internal subset (expected: none)");
        }
        if (doctype.getDTDSystemId() != null || doctype.getDTDPublicId() != null) {
            throw faults.malformed("DOCTYPE: has an external id (expected: none)");
        }
    }

    @Override
    public void close() {
        try {
            parser.close(); // gives its buffers back for the next one
        } catch (XMLStreamException e) {
            throw fault(e, faults, in);
        }
    }

    private static ParleyException fault(Exception e, DecodeErrors faults, XmlInput in) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof XmlInput.MarkupTooLongException) {
                return faults.overLimit("bytes of one piece of markup", "markupBytes", in.maxPieceBytes());
            }
        }
        // The parser has a class of its own for everything but its limits.
        if (e.getClass() == XMLStreamException.class) {
            return faults.overLimit("attributes of an element", "maxAttributes", XmlParserFactory.MAX_ATTRIBUTES);
        }
        return faults.malformed(shown(e), e);
    }

    /** The first line, because the parser puts the place into the second; it may hold what the peer wrote. */
    private static String shown(Exception e) {
        String text = String.valueOf(e.getMessage());
        int end = text.indexOf('\n');
        return text.substring(0, Math.min(end < 0 ? text.length() : end, MAX_SHOWN_CHARS));
    }
}
