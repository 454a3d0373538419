package io.parley.bench.document;

import com.ctc.wstx.stax.WstxInputFactory;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import javax.xml.stream.XMLStreamWriter;

/** One call of a program that writes a document. */
public sealed interface WriteStep {

    /** The calls that write this document. */
    static List<WriteStep> of(byte[] xml) throws XMLStreamException {
        List<WriteStep> steps = new ArrayList<>();
        XMLStreamReader reader = new WstxInputFactory().createXMLStreamReader(new ByteArrayInputStream(xml));
        while (reader.hasNext()) {
            switch (reader.next()) {
                case XMLStreamConstants.START_ELEMENT -> {
                    steps.add(new Start(reader.getLocalName()));
                    for (int i = 0; i < reader.getAttributeCount(); i++) {
                        steps.add(new Attribute(reader.getAttributeLocalName(i), reader.getAttributeValue(i)));
                    }
                }
                case XMLStreamConstants.CHARACTERS -> steps.add(new Text(reader.getText()));
                case XMLStreamConstants.END_ELEMENT -> steps.add(new End());
                default -> {
                    // nothing that these documents have
                }
            }
        }
        return List.copyOf(steps);
    }

    /** Makes all the calls. */
    static void writeAll(List<WriteStep> steps, XMLStreamWriter writer) throws XMLStreamException {
        writer.writeStartDocument(StandardCharsets.UTF_8.name(), "1.0");
        for (int i = 0; i < steps.size(); i++) {
            steps.get(i).write(writer);
        }
        writer.writeEndDocument();
        writer.flush();
        writer.close();
    }

    /** Makes the call. */
    void write(XMLStreamWriter writer) throws XMLStreamException;

    /** An element begins. */
    record Start(String name) implements WriteStep {
        @Override
        public void write(XMLStreamWriter writer) throws XMLStreamException {
            writer.writeStartElement(name);
        }
    }

    /** It has an attribute. */
    record Attribute(String name, String value) implements WriteStep {
        @Override
        public void write(XMLStreamWriter writer) throws XMLStreamException {
            writer.writeAttribute(name, value);
        }
    }

    /** It has text. */
    record Text(String text) implements WriteStep {
        @Override
        public void write(XMLStreamWriter writer) throws XMLStreamException {
            writer.writeCharacters(text);
        }
    }

    /** It ends. */
    record End() implements WriteStep {
        @Override
        public void write(XMLStreamWriter writer) throws XMLStreamException {
            writer.writeEndElement();
        }
    }
}
