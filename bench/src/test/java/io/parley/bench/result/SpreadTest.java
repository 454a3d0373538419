package io.parley.bench.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SpreadTest {

    /** The ranks are those of published tables for the 95 % interval of a median. */
    @ParameterizedTest
    @CsvSource({"6, 1, 6", "9, 2, 8", "15, 4, 12", "25, 8, 18", "100, 40, 61", "5000, 2431, 2570"})
    void interval_isBetweenTwoRanks(int rounds, double low, double high) {
        assertThat(Spread.of(oneTo(rounds)).interval()).isEqualTo(new Spread.Interval(low, high));
    }

    @Test
    void interval_ofFiveRounds_doesNotExist() {
        assertThat(Spread.of(oneTo(5)).interval()).isNull();
    }

    @Test
    void interval_ofEqualValues_isThatValue() {
        assertThat(Spread.of(Collections.nCopies(15, 2.0)).interval()).isEqualTo(new Spread.Interval(2, 2));
    }

    @Test
    void ratioOfMedians_hasTheQuotientOfTheIntervals() {
        Spread ratio = Spread.of(oneTo(15)).ratioOfMedians(Spread.of(oneTo(25)));

        assertThat(ratio)
                .isEqualTo(new Spread(8.0 / 13, 8.0 / 13, 8.0 / 13, 15, new Spread.Interval(4.0 / 18, 12.0 / 8)));
    }

    @Test
    void ratioOfMedians_ofFewRounds_hasNoInterval() {
        assertThat(Spread.of(oneTo(15)).ratioOfMedians(Spread.of(oneTo(5))).interval())
                .isNull();
    }

    private static List<Double> oneTo(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(value -> (double) value).toList();
    }
}
