package io.parley.codec.xml.payload;

import com.sun.xml.fastinfoset.Encoder;
import com.sun.xml.fastinfoset.sax.SAXDocumentSerializer;
import com.sun.xml.fastinfoset.stax.StAXDocumentParser;
import com.sun.xml.fastinfoset.stax.StAXDocumentSerializer;
import io.parley.codec.xml.fastinfoset.FastInfosetGuard;
import io.parley.codec.xml.fastinfoset.FastInfosetLimits;
import io.parley.message.Payload;
import java.io.OutputStream;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.xml.sax.ContentHandler;

/**
 * Creates readers and writers of Fast Infoset with the library of its reference implementation. Thread-safe. The
 * readers and writers are not thread-safe, and retain tables of strings; each document therefore has its own, so that
 * no document affects another.
 */
final class FastInfosetStreamFactory {
    /** With the following limits, writers create no table that is too large for readers. */
    private static final int MAX_TABLE_ENTRIES = 1 << 18;

    private static final int MAX_TABLE_CHARACTERS = 1 << 22;
    private static final int WRITTEN_TABLE_BYTES = 1 << 18;

    /** The maximum length of a char in UTF-8. */
    private static final int BYTES_PER_CHAR = 3;

    private final XmlLimits limits;
    private final boolean nodesLimited;
    private final FastInfosetLimits guardLimits;

    FastInfosetStreamFactory(XmlLimits limits, boolean nodesLimited) {
        this.limits = limits;
        this.nodesLimited = nodesLimited;
        // An element takes at least one byte. The reader counts the characters, without the tags of the text form.
        this.guardLimits = new FastInfosetLimits(
                limits.maxBytes(),
                limits.maxDepth(),
                limits.maxBytes(),
                Math.max(1, limits.maxAttributes()),
                BYTES_PER_CHAR * limits.maxNameChars(),
                MAX_TABLE_ENTRIES,
                MAX_TABLE_CHARACTERS,
                Long.MAX_VALUE);
    }

    XMLStreamReader reader(Payload document) {
        return reader(document, limits);
    }

    /** Returns a reader for a document that must not have more characters than the given number, nor than the limit. */
    XMLStreamReader reader(Payload document, long maxCharacters) {
        return reader(
                document,
                limits.toBuilder()
                        .maxCharacters(Math.min(maxCharacters, limits.maxCharacters()))
                        .build());
    }

    private XMLStreamReader reader(Payload document, XmlLimits readerLimits) {
        try {
            // The library trusts the lengths in the document.
            FastInfosetGuard.check(
                    document.array(),
                    document.arrayOffset(),
                    (int) document.size(),
                    guardLimits,
                    readerLimits.maxCharacters());
            StAXDocumentParser parser = new StAXDocumentParser(document.openStream());
            return new FastInfosetStreamReader(parser, readerLimits, nodesLimited);
        } catch (RuntimeException e) {
            throw BoundedStreamReader.malformed(e);
        }
    }

    void write(OutputStream target, XmlBody body) throws XMLStreamException {
        StAXDocumentSerializer writer = limited(new StAXDocumentSerializer());
        writer.setOutputStream(target);
        writer.writeStartDocument();
        XmlBodyWriter content = new XmlBodyWriter(writer);
        body.writeTo(content);
        content.endElements();
        writer.writeEndDocument();
        writer.flush();
    }

    /** Returns a handler that writes SAX events to a stream. */
    ContentHandler handler(OutputStream target) {
        SAXDocumentSerializer writer = limited(new SAXDocumentSerializer());
        writer.setOutputStream(target);
        return writer;
    }

    private static <E extends Encoder> E limited(E writer) {
        writer.setCharacterContentChunkMapMemoryLimit(WRITTEN_TABLE_BYTES);
        writer.setAttributeValueMapMemoryLimit(WRITTEN_TABLE_BYTES);
        return writer;
    }
}
