package io.parley.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class NetPipeCliffsTest {

    private static final String PLAIN = "java-io";

    @Test
    void of_fallBetweenTwoSizes_isTheLeastRatio_withItsSize() {
        List<Figure> cliffs = cliffs(curve(PLAIN, 10, 20, 40, 80), curve("parley", 10, 20, 14, 28));

        assertThat(cliffs).singleElement().satisfies(cliff -> {
            assertThat(cliff.contender()).isEqualTo("parley");
            assertThat(cliff.value().median()).isEqualTo(0.7);
            assertThat(cliff.value().rounds()).isEqualTo(5);
            assertThat(cliff.parts().get("at").median()).isEqualTo(4);
        });
    }

    @Test
    void of_fallWherePlainSocketsFallToo_doesNotCount() {
        List<Figure> cliffs = cliffs(curve(PLAIN, 10, 20, 15, 30), curve("parley", 10, 20, 14, 28));

        assertThat(cliffs)
                .singleElement()
                .satisfies(cliff -> assertThat(cliff.value().median()).isEqualTo(2));
    }

    @Test
    void of_smallFallOfPlainSockets_isNoExcuse() {
        List<Figure> cliffs = cliffs(curve(PLAIN, 10, 20, 18, 36), curve("parley", 10, 20, 14, 28));

        assertThat(cliffs)
                .singleElement()
                .satisfies(cliff -> assertThat(cliff.value().median()).isEqualTo(0.7));
    }

    @Test
    void of_curveThatEndsBeforeThatOfPlainSockets_fallsToZero() {
        List<Figure> cliffs = cliffs(curve(PLAIN, 10, 20, 40, 80), curve("parley", 10, 20));

        assertThat(cliffs).singleElement().satisfies(cliff -> {
            assertThat(cliff.value().median()).isZero();
            assertThat(cliff.value().rounds()).isEqualTo(5);
            assertThat(cliff.parts().get("at").median()).isEqualTo(4);
        });
    }

    @Test
    void of_curveThatGoesOnAfterThatOfPlainSockets_countsToItsEnd() {
        List<Figure> cliffs = cliffs(curve(PLAIN, 10, 20), curve("parley", 10, 18, 3));

        assertThat(cliffs)
                .singleElement()
                .satisfies(cliff -> assertThat(cliff.value().median()).isEqualTo(1.8));
    }

    @Test
    void of_withoutPlainSockets_isEmpty() {
        assertThat(cliffs(curve("parley", 10, 20, 14, 28))).isEmpty();
    }

    private static List<Figure> cliffs(List<Figure> curve) {
        return NetPipeCliffs.of(curve, PLAIN);
    }

    private static List<Figure> cliffs(List<Figure> first, List<Figure> second) {
        return cliffs(Stream.concat(first.stream(), second.stream()).toList());
    }

    /** Returns the throughput at 1, 2, 4, ... bytes. */
    private static List<Figure> curve(String contender, double... values) {
        List<Figure> figures = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            Spread value = Spread.of(Collections.nCopies(5, values[i]));
            figures.add(new Figure(contender, "", 1 << i, value, Map.of(), 1, Map.of()));
        }
        return figures;
    }
}
