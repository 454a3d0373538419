package io.parley.codec.xml.payload;

import com.sun.xml.fastinfoset.sax.SAXDocumentSerializer;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.parsers.SAXParser;
import javax.xml.parsers.SAXParserFactory;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.XMLReader;

/**
 * Test documents in text form, and in the binary form that the parser of the JDK and the writer of the library produce.
 */
final class Samples {
    /** A document with each kind of item that is possible without a document type. */
    static final String ALL_KINDS =
            "<?before all?><!-- first --><p:root xmlns:p=\"urn:p\" xmlns=\"urn:default\" a=\"1\" "
                    + "p:b=\"two &amp; &quot;three&quot;\"> mixed <i>con<b/>tent</i> &lt;&gt;&amp; <![CDATA[<raw> & ]] >]]>"
                    + "<!-- Grüße, 世界 --><empty xmlns=\"\"/><?target some data?><name\u4E16>\uD83D\uDE80 é</name\u4E16>"
                    + "<q:x xmlns:q=\"urn:q\" q:y=\" &#10;\t\"/>end</p:root><!-- last -->";

    static final String[] DOCUMENTS = {
        "<a/>",
        "<a></a>",
        "<a b=\"\"/>",
        "<a>text</a>",
        "<a xmlns=\"urn:x\"><b/><b/><b>c</b><b>c</b></a>",
        "<a>x<!---->y<![CDATA[z]]></a>",
        ALL_KINDS,
    };

    private Samples() {}

    static String employees(int records) {
        try (InputStream in = Samples.class.getResourceAsStream("employees-" + records + ".xml")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static MessageElement textElement(String xml) {
        return MessageElement.ofXml("xml", xml);
    }

    static MessageElement element(byte[] fastInfoset) {
        return MessageElement.of("", "xml", "application/fastinfoset", Payload.of(fastInfoset));
    }

    static MessageElement infosetElement(String xml) {
        return element(fastInfoset(xml));
    }

    static MessageElement element(XmlForm form, String xml) {
        return form == XmlForm.TEXT ? textElement(xml) : infosetElement(xml);
    }

    static byte[] fastInfoset(String xml) {
        try {
            SAXParserFactory factory = SAXParserFactory.newDefaultInstance();
            factory.setNamespaceAware(true);
            SAXParser parser = factory.newSAXParser();
            parser.setProperty("jdk.xml.maxElementDepth", "0"); // 200 from JDK 24 on
            parser.setProperty("jdk.xml.elementAttributeLimit", "0"); // as well
            XMLReader reader = parser.getXMLReader();
            SAXDocumentSerializer serializer = new SAXDocumentSerializer();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            serializer.setOutputStream(out);
            reader.setContentHandler(serializer);
            reader.setProperty("http://xml.org/sax/properties/lexical-handler", serializer);
            reader.parse(new InputSource(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8))));
            return out.toByteArray();
        } catch (ParserConfigurationException | SAXException | IOException e) {
            throw new AssertionError(xml, e);
        }
    }

    /** Returns a random document in a uniform style. */
    static String randomDocument(Random random) {
        StringBuilder xml = new StringBuilder();
        appendElement(xml, random, 1 + random.nextInt(6));
        return xml.toString();
    }

    private static void appendElement(StringBuilder xml, Random random, int depth) {
        String name = pick(random, "a", "b", "item", "person", "名前", "x-y.z");
        xml.append('<').append(name);
        if (random.nextInt(4) == 0) {
            xml.append(" xmlns:p=\"urn:")
                    .append(random.nextInt(3))
                    .append("\" p:q=\"")
                    .append(text(random))
                    .append('"');
        }
        if (random.nextInt(3) == 0) {
            xml.append(" id=\"").append(random.nextInt(100_000)).append('"');
        }
        int children = depth == 0 ? 0 : random.nextInt(4);
        if (children == 0 && random.nextInt(3) == 0) {
            xml.append("/>");
            return;
        }
        xml.append('>');
        // Not empty, because a pair of empty tags would be a second style of empty elements.
        xml.append(pick(random, "text", "\n  ")).append(text(random));
        for (int i = 0; i < children; i++) {
            appendElement(xml, random, depth - 1);
            xml.append(
                    switch (random.nextInt(8)) {
                        case 0 -> "<!-- " + text(random) + " -->";
                        case 1 -> "<![CDATA[<" + text(random) + ">]]>";
                        case 2 -> "<?do " + text(random) + "?>";
                        default -> text(random);
                    });
        }
        xml.append("</").append(name).append('>');
    }

    private static String text(Random random) {
        return pick(
                random,
                "Grüße",
                "世界",
                "\uD83D\uDE80",
                "x",
                "1 &lt; 2 &amp; 3",
                "some words ".repeat(random.nextInt(9)) + ".");
    }

    private static String pick(Random random, String... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
