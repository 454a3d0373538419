package io.parley.bench.document;

import com.sun.xml.fastinfoset.sax.SAXDocumentSerializer;
import io.parley.bench.workload.EmployeeFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.List;
import javax.xml.parsers.SAXParserFactory;
import org.xml.sax.InputSource;
import org.xml.sax.XMLReader;

/**
 * An employee file as XML text and as a Fast Infoset document with the same infoset, white space included.
 *
 * @param name the name in results
 */
@SuppressWarnings("ArrayRecordComponent") // documents are never compared
public record EmployeeDocument(String name, byte[] xml, byte[] fastInfoset) {

    private static final String PREFIX = "employees-";

    /** Returns the names of all documents. */
    public static List<String> names() {
        return EmployeeFile.records().stream().map(records -> PREFIX + records).toList();
    }

    /** Returns the document with that name. */
    public static EmployeeDocument named(String name) throws Exception {
        byte[] xml = EmployeeFile.of(Integer.parseInt(name.substring(PREFIX.length())), 0);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        SAXDocumentSerializer serializer = new SAXDocumentSerializer();
        serializer.setOutputStream(out);
        SAXParserFactory factory = SAXParserFactory.newDefaultInstance();
        factory.setNamespaceAware(true);
        XMLReader reader = factory.newSAXParser().getXMLReader();
        reader.setContentHandler(serializer);
        reader.parse(new InputSource(new ByteArrayInputStream(xml)));
        return new EmployeeDocument(name, xml, out.toByteArray());
    }
}
