package io.parley.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EmployeeFileTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 50})
    void file_ofThePaper_equalsTheResource(int records) throws IOException {
        assertThat(EmployeeFile.of(records, 0)).isEqualTo(resource("employees-" + records + ".xml"));
    }

    @ParameterizedTest
    @CsvSource({
        "100, 17290, 01c26a5ce4175881",
        "250, 43208, 7f994800baaaf898",
        "500, 86370, 184f0e8ac00465ae",
        "750, 129384, 55be512c902c64f0",
        "1000, 172491, 96de779208b6cdfb"
    })
    void file_ofThePaper_hasTheKnownDigest(int records, int bytes, String sha256) throws Exception {
        byte[] file = EmployeeFile.of(records, 0);

        assertThat(file).hasSize(bytes);
        assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(file)))
                .startsWith(sha256);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 50})
    void file_otherVariant_hasOtherRecordsInTheSameSize(int records) {
        byte[] other = EmployeeFile.of(records, 7);

        assertThat(other).hasSameSizeAs(EmployeeFile.of(records, 0)).isNotEqualTo(EmployeeFile.of(records, 0));
        assertThat(other).isEqualTo(EmployeeFile.of(records, 7));
    }

    @Test
    void file_unknownNumberOfRecords_isRejected() {
        assertThatThrownBy(() -> EmployeeFile.of(2, 0)).hasMessageStartingWith("records: 2 (expected: one of [1, 50,");
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(EmployeeFileTest.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        }
    }
}
