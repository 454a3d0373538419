package io.parley.codec.compress;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.message.MessageElement;
import io.parley.message.Payload;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sizes of lists of employees, like those of which the authors of TREECHOP in peer-to-peer networks published sizes. */
final class TreechopSizeTest {

    /** From 50 records up, the scheme takes fewer bytes than gzip by these percents. */
    @ParameterizedTest
    @CsvSource({"50, 2", "100, 3", "250, 4", "500, 5", "750, 5", "1000, 6"})
    void employees_areSmallerThanWithGzip(int records, int percent) {
        MessageElement element = MessageElement.ofXml("employees", Documents.employees(records));
        Payload encoded = new TreechopEncodingScheme().encode(element).orElseThrow();
        long gzip = new GzipEncodingScheme().encode(element).orElseThrow().size();
        assertThat(encoded.size()).as("gzip: %d", gzip).isLessThan(gzip * (100 - percent) / 100);
        assertThat(new TreechopEncodingScheme().decode(element.withPayload(encoded), element.size()))
                .isEqualTo(element.payload());
    }

    @ParameterizedTest
    @CsvSource("1")
    void oneEmployee_isSmallerThanTheDocument(int records) {
        MessageElement element = MessageElement.ofXml("employees", Documents.employees(records));
        Payload encoded = new TreechopEncodingScheme().encode(element).orElseThrow();
        assertThat(encoded.size()).isLessThan(element.size() * 9 / 10);
    }
}
