package io.parley.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class HtmlTextTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "0.00421, 0.0042",
        "0.5, 0.50",
        "4.017, 4.02",
        "17, 17",
        "17.94, 17.9",
        "123.4, 123",
        "2628189.02, 2\u202f630\u202f000",
        "-1024.4, -1\u202f020"
    })
    void number_hasAtMostThreeSignificantDigits(double value, String text) {
        assertThat(HtmlText.number(value)).isEqualTo(text);
    }
}
