package io.parley.bench.document;

import com.ctc.wstx.stax.WstxOutputFactory;
import com.fasterxml.aalto.stax.OutputFactoryImpl;
import com.sun.xml.fastinfoset.stax.StAXDocumentSerializer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import javax.xml.stream.XMLOutputFactory;

/** A writer in the form in which a program would use it: created once, then used for one document after another. */
public enum DocumentWriter {
    /** Woodstox. */
    WOODSTOX("woodstox") {
        @Override
        public Writer open(List<WriteStep> document) {
            return text(new WstxOutputFactory(), document);
        }
    },
    /** Aalto. */
    AALTO("aalto") {
        @Override
        public Writer open(List<WriteStep> document) {
            return text(new OutputFactoryImpl(), document);
        }
    },
    /** The Fast Infoset library. */
    FAST_INFOSET("fastinfoset") {
        @Override
        public Writer open(List<WriteStep> document) {
            StAXDocumentSerializer serializer = new StAXDocumentSerializer();
            return out -> {
                serializer.setOutputStream(out);
                WriteStep.writeAll(document, serializer);
            };
        }
    };

    private final String label;

    DocumentWriter(String label) {
        this.label = label;
    }

    /** Returns the writer with that label. */
    public static DocumentWriter ofLabel(String label) {
        return Arrays.stream(values())
                .filter(writer -> writer.label.equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("writer: %s (expected: one of %s)"
                        .formatted(
                                label,
                                Arrays.stream(values())
                                        .map(DocumentWriter::label)
                                        .toList())));
    }

    /** Returns the name in results. */
    public String label() {
        return label;
    }

    /** Creates a writer that can write the document any number of times. */
    public abstract Writer open(List<WriteStep> document);

    private static Writer text(XMLOutputFactory factory, List<WriteStep> document) {
        return out -> WriteStep.writeAll(document, factory.createXMLStreamWriter(out, StandardCharsets.UTF_8.name()));
    }

    /** Writes one document repeatedly. Not thread-safe. */
    public interface Writer {

        /** Writes the document once. */
        void write(ByteArrayOutputStream out) throws Exception;
    }
}
