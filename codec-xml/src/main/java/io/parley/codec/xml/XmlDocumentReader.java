package io.parley.codec.xml;

import io.netty.buffer.ByteBuf;
import io.parley.codec.MessageLimits;
import io.parley.codec.xml.internal.ContentSink;
import io.parley.codec.xml.internal.DecodeErrors;
import io.parley.codec.xml.internal.FormDecoder;
import io.parley.codec.xml.internal.FormNames;
import io.parley.common.internal.DistinctNames;
import io.parley.error.ParleyException;
import java.io.IOException;
import javax.xml.stream.Location;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import org.codehaus.stax2.DTDInfo;
import org.codehaus.stax2.XMLStreamReader2;
import org.jspecify.annotations.Nullable;

/** Reads the events of one document. Converts each exception of the parser to a fault of the remote peer. */
final class XmlDocumentReader implements AutoCloseable {
    /** The maximum number of distinct names besides those of the format. */
    private static final int MAX_UNKNOWN_NAMES = 1000;

    private static final int MAX_MESSAGE_CHARS = 200;
    private static final String FORMAT = "XML message";
    private static final String XML_1_1 = "1.1";

    private final XmlInput in;
    private final XMLStreamReader2 parser;
    private final DecodeErrors errors;
    private final DistinctNames unknownNames;

    private XmlDocumentReader(XmlInput in, XMLStreamReader2 parser) {
        this.in = in;
        this.parser = parser;
        this.errors = new DecodeErrors(() -> place(parser));
        this.unknownNames = new DistinctNames(MAX_UNKNOWN_NAMES, () -> place(parser));
    }

    /** Opens a reader of the readable bytes. {@code bytes} is borrowed until {@link #close}. */
    static XmlDocumentReader open(XmlParserFactory parsers, ByteBuf bytes, MessageLimits limits) {
        XmlInput in = new XmlInput(bytes, FormDecoder.maxMarkupBytes(limits));
        XMLStreamReader2 parser;
        try {
            parser = parsers.open(in);
        } catch (XMLStreamException | RuntimeException e) {
            throw fault(e, new DecodeErrors(() -> FORMAT), in);
        }
        XmlDocumentReader document = new XmlDocumentReader(in, parser);
        // XML 1.1 has other line ends, and character references that XML 1.0 does not allow.
        if (XML_1_1.equals(parser.getVersion())) {
            throw document.errors.malformed("XML version: 1.1 (expected: 1.0)");
        }
        return document;
    }

    private static String place(XMLStreamReader2 parser) {
        Location location = parser.getLocation();
        return FORMAT + ", line " + location.getLineNumber() + ", column " + location.getColumnNumber();
    }

    /** Returns how many bytes the parser has not read. It may have read some that it has not reported yet. */
    long remainingBytes() {
        return in.remainingBytes();
    }

    /** Returns the factory of exceptions that name the current position. */
    DecodeErrors errors() {
        return errors;
    }

    /** Returns the next event. Skips comments, processing instructions, and white space around the root element. */
    int next() {
        while (true) {
            int event = nextEvent();
            if (event != XMLStreamConstants.COMMENT
                    && event != XMLStreamConstants.PROCESSING_INSTRUCTION
                    && event != XMLStreamConstants.SPACE) {
                return event;
            }
        }
    }

    private int nextEvent() {
        in.beginItem();
        try {
            int event = parser.next();
            switch (event) {
                case XMLStreamConstants.START_ELEMENT -> countNames();
                case XMLStreamConstants.PROCESSING_INSTRUCTION -> unknownNames.add(parser.getPITarget());
                default -> {}
            }
            return event;
        } catch (ParleyException e) {
            throw e;
        } catch (XMLStreamException | RuntimeException e) {
            throw fault(e, errors, in);
        }
    }

    private void countNames() {
        for (int i = 0; i < parser.getAttributeCount(); i++) {
            String name = parser.getAttributeLocalName(i);
            if (!FormNames.isAttribute(name)) {
                unknownNames.add(name);
            }
        }
    }

    /** Returns the name of the current start tag, including its prefix if there is one. */
    String elementName() {
        return parser.getLocalName();
    }

    /** Returns the value of an attribute of the current start tag, or {@code null} if there is no such attribute. */
    @Nullable
    String attribute(String name) {
        for (int i = 0; i < parser.getAttributeCount(); i++) {
            if (parser.getAttributeLocalName(i).equals(name)) {
                return parser.getAttributeValue(i);
            }
        }
        return null;
    }

    /** Returns a writer to a sink, for {@link #readText}. */
    ContentSinkWriter newTextWriter(ContentSink sink) {
        return new ContentSinkWriter(in, sink);
    }

    /** Streams the text of the current event to a writer. Exceptions of the sink are not wrapped. */
    void readText(ContentSinkWriter target) {
        try {
            parser.getText(target, false);
        } catch (ParleyException e) {
            throw e;
        } catch (XMLStreamException | IOException | RuntimeException e) {
            throw fault(e, errors, in);
        }
    }

    /** Rejects a DOCTYPE with an internal subset or an external id. The parser has read neither of them. */
    void checkDoctype() {
        DTDInfo doctype;
        try {
            doctype = parser.getDTDInfo();
        } catch (XMLStreamException e) {
            throw fault(e, errors, in);
        }
        String subset = doctype.getDTDInternalSubset();
        if (subset != null && !subset.isEmpty()) {
            throw errors.malformed("DOCTYPE: has an internal subset (expected: none)");
        }
        if (doctype.getDTDSystemId() != null || doctype.getDTDPublicId() != null) {
            throw errors.malformed("DOCTYPE: has an external id (expected: none)");
        }
    }

    @Override
    public void close() {
        try {
            parser.close(); // releases its buffers for the next parser
        } catch (XMLStreamException e) {
            throw fault(e, errors, in);
        }
    }

    private static ParleyException fault(Exception e, DecodeErrors errors, XmlInput in) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof XmlInput.MarkupTooLongException) {
                return errors.overLimit("bytes of one markup item", "markupBytes", in.maxMarkupBytes());
            }
        }
        // The parser throws a subclass for all errors except an exceeded limit.
        if (e.getClass() == XMLStreamException.class) {
            return errors.overLimit("attributes of an element", "maxAttributes", XmlParserFactory.MAX_ATTRIBUTES);
        }
        return errors.malformed(firstLine(e), e);
    }

    /**
     * Returns the first line of the message; the second line of the parser's messages is the position. The line is cut
     * because it may contain text of the remote peer.
     */
    private static String firstLine(Exception e) {
        String text = String.valueOf(e.getMessage());
        int end = text.indexOf('\n');
        return text.substring(0, Math.min(end < 0 ? text.length() : end, MAX_MESSAGE_CHARS));
    }
}
