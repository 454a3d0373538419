package io.parley.codec.xml.payload;

import com.sun.xml.fastinfoset.stax.StAXDocumentParser;
import com.sun.xml.fastinfoset.stax.StAXDocumentSerializer;
import io.parley.message.Payload;
import java.io.OutputStream;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Fast Infoset, by the library of its reference implementation. Its readers and writers are not for several threads, and
 * keep tables of strings that nobody else's document may see: each document has its own.
 */
final class FastInfosetStreams {
    private final XmlLimits limits;

    FastInfosetStreams(XmlLimits limits) {
        this.limits = limits;
    }

    XMLStreamReader reader(Payload document) {
        try {
            // The library believes every length it reads.
            // FastInfosetGuard.check(document.array(), document.arrayOffset(), (int) document.size(), limits)
            StAXDocumentParser parser = new StAXDocumentParser(document.openStream());
            return new InfosetReader(parser, limits);
        } catch (RuntimeException e) {
            throw CheckedReader.malformed(e);
        }
    }

    void write(OutputStream target, XmlBody body) throws XMLStreamException {
        StAXDocumentSerializer writer = new StAXDocumentSerializer(target);
        writer.writeStartDocument();
        body.writeTo(new BodyWriter(writer));
        writer.writeEndDocument();
        writer.flush();
    }
}
