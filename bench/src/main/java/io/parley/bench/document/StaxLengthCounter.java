package io.parley.bench.document;

import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Reads the names and texts of all events and adds up their lengths. */
final class StaxLengthCounter {

    private StaxLengthCounter() {}

    /** Reads the document to its end, closes the reader and returns the total length. */
    static long of(XMLStreamReader reader) throws XMLStreamException {
        long total = 0;
        while (reader.hasNext()) {
            switch (reader.next()) {
                case XMLStreamConstants.START_ELEMENT -> total += start(reader);
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.SPACE -> total += reader.getTextLength();
                default -> {
                    // other events have no names or texts
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
