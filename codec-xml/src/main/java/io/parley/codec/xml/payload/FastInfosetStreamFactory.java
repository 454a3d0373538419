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
 * Fast Infoset, by the library of its reference implementation. Its readers and writers are not for several threads, and
 * keep tables of strings that nobody else's document may see: each document has its own.
 */
final class FastInfosetStreamFactory {
    /** Together with what follows, writers never make a table that readers find too large. */
    private static final int MAX_TABLE_ENTRIES = 1 << 18;

    private static final int MAX_TABLE_CHARACTERS = 1 << 22;
    private static final int WRITTEN_TABLE_BYTES = 1 << 18;

    /** No char takes more in UTF-8. */
    private static final int BYTES_PER_CHAR = 3;

    private final XmlLimits limits;
    private final FastInfosetLimits guardLimits;

    FastInfosetStreamFactory(XmlLimits limits) {
        this.limits = limits;
        // An element takes a byte at least. Characters are counted by the reader, without the tags of the text.
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
        try {
            // The library believes every length it reads.
            FastInfosetGuard.check(document.array(), document.arrayOffset(), (int) document.size(), guardLimits);
            StAXDocumentParser parser = new StAXDocumentParser(document.openStream());
            return new FastInfosetStreamReader(parser, limits);
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

    /** A handler of SAX events that writes them to the stream. */
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
