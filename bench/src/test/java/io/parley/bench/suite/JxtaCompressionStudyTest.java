package io.parley.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import io.parley.bench.result.Figure;
import io.parley.bench.workload.EmployeeFile;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the values of the tables with the percentages that the paper prints beside them. */
final class JxtaCompressionStudyTest {

    private static final List<Integer> RECORDS = EmployeeFile.records();

    @ParameterizedTest
    @CsvSource({
        "gzip, 24.8 82.4 85.0 87.2 88.1 88.5 88.6",
        "treechop, 15.0 82.7 85.5 87.8 88.8 89.2 89.4",
        "xmlppm, 40.9 87.4 90.2 92.6 93.5 93.9 94.1"
    })
    void sizes_saveThePrintedPercentages(String scheme, String percentages) {
        assertPercentages(
                JxtaCompressionStudy.sizes(RECORDS),
                scheme,
                figure -> 100 - 100 * figure.value().median() / figure.bytes(),
                percentages,
                0.0501);
    }

    @ParameterizedTest
    @CsvSource({
        "gzip, 0.25 39.41 65.94 67.69 59.72 75.34 82.16",
        "treechop, -2.40 31.46 55.77 54.94 45.32 61.07 68.67",
        "xmlppm, -20.33 16.18 42.30 47.85 42.00 54.69 65.54"
    })
    void transits_saveThePrintedPercentages(String scheme, String percentages) {
        assertPercentages(
                JxtaCompressionStudy.transits(RECORDS),
                scheme,
                figure -> 100
                        - 100
                                * figure.ratios().values().stream()
                                        .findFirst()
                                        .orElseThrow()
                                        .median(),
                percentages,
                0.00501);
    }

    private static void assertPercentages(
            List<Figure> figures, String scheme, ToDoubleFunction<Figure> percentage, String printed, double rounding) {
        double[] computed = figures.stream()
                .filter(figure -> figure.contender().equals(JxtaCompressionStudy.name(scheme)))
                .mapToDouble(percentage)
                .toArray();

        assertThat(computed)
                .containsExactly(
                        Arrays.stream(printed.split(" "))
                                .mapToDouble(Double::parseDouble)
                                .toArray(),
                        offset(rounding));
    }
}
