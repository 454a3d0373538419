package io.parley.advertisement;

import java.nio.charset.StandardCharsets;
import java.util.TreeMap;

/**
 * Writes documents that XML parsers and the parser of JXTA 2.5 understand, with the same bytes for equal elements: attributes are sorted,
 * because their order makes no difference. Documents have a declaration, because JXTA's parser loses the root of a document that begins with the root. They have no white space
 * that is not text, and only the escapes that JXTA's parser decodes.
 */
final class AdvertisementXmlWriter {
    private static final String DECLARATION = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    private static final String NAMESPACE = " xmlns:jxta=\"http://jxta.org\"";
    private static final String ROOT_ATTRIBUTES = NAMESPACE + " xml:space=\"preserve\"";

    private final StringBuilder out = new StringBuilder(512);

    private AdvertisementXmlWriter() {}

    static byte[] write(XmlElement root) {
        AdvertisementXmlWriter writer = new AdvertisementXmlWriter();
        writer.out.append(DECLARATION);
        writer.element(root, ROOT_ATTRIBUTES);
        return writer.out.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Writes an element without the root attribute that an object mapper would read as a property. */
    static byte[] writeForMapping(XmlElement root) {
        AdvertisementXmlWriter writer = new AdvertisementXmlWriter();
        writer.element(root, NAMESPACE);
        return writer.out.toString().getBytes(StandardCharsets.UTF_8);
    }

    private void element(XmlElement element, String moreAttributes) {
        out.append('<').append(element.name()).append(moreAttributes);
        new TreeMap<>(element.attributes()).forEach((name, value) -> {
            out.append(' ').append(name).append("=\"");
            escape(value, true);
            out.append('"');
        });
        if (element.text().isEmpty() && element.children().isEmpty()) {
            out.append("/>");
            return;
        }
        out.append('>');
        escape(element.text(), false);
        for (XmlElement child : element.children()) {
            element(child, "");
        }
        out.append("</").append(element.name()).append('>');
    }

    private void escape(String text, boolean inAttribute) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                case '\r' -> out.append("&#13;"); // parsers turn a bare one into a line feed
                case '"' -> out.append(inAttribute ? "&quot;" : "\"");
                case '\n', '\t' -> {
                    if (inAttribute) {
                        out.append("&#").append((int) c).append(';');
                    } else {
                        out.append(c);
                    }
                }
                default -> out.append(c);
            }
        }
    }
}
