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

/** One call that a program makes to write a document. */
public sealed interface WriteStep {

    /** Returns the calls that write the document. */
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
                    // these documents have no other events
                }
            }
        }
        return List.copyOf(steps);
    }

    /** Makes all calls. */
    static void writeAll(List<WriteStep> steps, XMLStreamWriter writer) throws XMLStreamException {
        writer.writeStartDocument(StandardCharsets.UTF_8.name(), "1.0");
        for (int i = 0; i < steps.size(); i++) {
            steps.get(i).write(writer);
        }
        writer.writeEndDocument();
        writer.flush();
        writer.close();
    }

    /** Makes this call. */
    void write(XMLStreamWriter writer) throws XMLStreamException;

    /** The start of an element. */
    record Start(String name) implements WriteStep {
        @Override
        public void write(XMLStreamWriter writer) throws XMLStreamException {
            writer.writeStartElement(name);
        }
    }

    /** An attribute of the current element. */
    record Attribute(String name, String value) implements WriteStep {
        @Override
        public void write(XMLStreamWriter writer) throws XMLStreamException {
            writer.writeAttribute(name, value);
        }
    }

    /** Text of the current element. */
    record Text(String text) implements WriteStep {
        @Override
        public void write(XMLStreamWriter writer) throws XMLStreamException {
            writer.writeCharacters(text);
        }
    }

    /** The end of the current element. */
    record End() implements WriteStep {
        @Override
        public void write(XMLStreamWriter writer) throws XMLStreamException {
            writer.writeEndElement();
        }
    }
}
