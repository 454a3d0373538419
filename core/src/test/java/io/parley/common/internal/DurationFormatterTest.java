package io.parley.common.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationFormatterTest {

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0 ms",
        "PT0.0005S, 0.5 ms",
        "PT0.2S, 200 ms",
        "PT1S, 1 s",
        "PT1.5S, 1.5 s",
        "PT1.000000001S, 1 s",
        "PT59S, 59 s",
        "PT1M, 1 min",
        "PT90S, 90 s",
        "PT2H, 2 h",
        "P14D, 336 h",
        "PT100S, 100 s",
        "PT-0.5S, -500 ms",
        "PT-1S, -1000 ms",
        "PT-3S, -3 s",
        "PT-9223372036854775808S, -9223372036854775808 s"
    })
    void format_hasAUnitThatSuits(Duration duration, String text) {
        assertThat(DurationFormatter.format(duration)).isEqualTo(text);
    }
}
