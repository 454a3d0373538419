package io.parley.bench.document;

import org.xml.sax.Attributes;
import org.xml.sax.helpers.DefaultHandler;

/** Reads the names and texts of all events and adds up their lengths. */
final class SaxLengthCounter extends DefaultHandler {

    private long total;

    long total() {
        return total;
    }

    @Override
    public void startElement(String uri, String localName, String qualifiedName, Attributes attributes) {
        total += localName.length();
        for (int i = 0; i < attributes.getLength(); i++) {
            total +=
                    attributes.getLocalName(i).length() + attributes.getValue(i).length();
        }
    }

    @Override
    public void characters(char[] characters, int start, int length) {
        total += length;
    }
}
