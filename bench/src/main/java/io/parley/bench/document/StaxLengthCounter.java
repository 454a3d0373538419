package io.parley.bench.document;

import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Looks at everything that is told and adds the lengths up. */
final class StaxLengthCounter {

    private StaxLengthCounter() {}

    /** Reads to the end and closes. */
    static long of(XMLStreamReader reader) throws XMLStreamException {
        long total = 0;
        while (reader.hasNext()) {
            switch (reader.next()) {
                case XMLStreamConstants.START_ELEMENT -> total += start(reader);
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.SPACE -> total += reader.getTextLength();
                default -> {
                    // nothing to look at
                }
            }
        }
        reader.close();
        return total;
    }

    private static long start(XMLStreamReader reader) {
        long total = reader.getLocalName().length();
        for (int i = 0; i < reader.getAttributeCount(); i++) {
            total += reader.getAttributeLocalName(i).length()
                    + reader.getAttributeValue(i).length();
        }
        return total;
    }
}
