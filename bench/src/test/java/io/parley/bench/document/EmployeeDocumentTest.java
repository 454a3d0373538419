package io.parley.bench.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class EmployeeDocumentTest {

    private static final String NAME = "employees-50";

    @ParameterizedTest
    @EnumSource(DocumentParser.class)
    void parse_repeatedly_hasTheSameTotalAsEveryParser(DocumentParser parser) throws Exception {
        EmployeeDocument document = EmployeeDocument.named(NAME);
        long expected = DocumentParser.XERCES_SAX.open().parse(DocumentParser.XERCES_SAX.input(document));
        DocumentParser.Parser openParser = parser.open();

        for (int i = 0; i < 3; i++) {
            assertThat(openParser.parse(parser.input(document))).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @EnumSource(DocumentWriter.class)
    void write_repeatedly_writesTheWholeDocument(DocumentWriter writer) throws Exception {
        EmployeeDocument document = EmployeeDocument.named(NAME);
        List<WriteStep> steps = WriteStep.of(document.xml());
        DocumentParser reader =
                writer == DocumentWriter.FAST_INFOSET ? DocumentParser.FAST_INFOSET_STAX : DocumentParser.WOODSTOX_STAX;
        long expected = DocumentParser.XERCES_SAX.open().parse(DocumentParser.XERCES_SAX.input(document));
        DocumentWriter.Writer openWriter = writer.open(steps);

        for (int i = 0; i < 3; i++) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            openWriter.write(out);
            assertThat(reader.open().parse(out.toByteArray())).isEqualTo(expected);
        }
    }
}
