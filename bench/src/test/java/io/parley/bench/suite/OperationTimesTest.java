package io.parley.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.operation.Operation;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class OperationTimesTest {

    private final OperationTimes times = new OperationTimes();

    @Test
    void sums_excludeShutdown() {
        times.add("peer", Map.of(Operation.BOOT, 3.0, Operation.FIRST_MESSAGE, 1.0, Operation.SHUT_DOWN, 100.0));
        times.add("peer", Map.of(Operation.BOOT, 5.0, Operation.FIRST_MESSAGE, 1.0, Operation.SHUT_DOWN, 100.0));

        assertThat(times.sums())
                .singleElement()
                .satisfies(figure -> assertThat(figure.value()).isEqualTo(Spread.of(List.of(4.0, 6.0))));
    }

    @Test
    void sums_excludeSearchesOfTheCache() {
        times.add("peer", Map.of(Operation.BOOT, 3.0, Operation.FIND_LOCAL_PEERS, 50.0, Operation.FIRST_MESSAGE, 1.0));

        assertThat(times.sums())
                .singleElement()
                .satisfies(figure -> assertThat(figure.value()).isEqualTo(Spread.of(List.of(4.0))));
    }

    @Test
    void figures_ofACompleteRun_includeTheSumOfAll() {
        Map<Operation, Double> durations = new EnumMap<>(Operation.class);
        Stream.of(Operation.values()).forEach(operation -> durations.put(operation, 2.0));
        times.add("peer", durations);

        assertThat(times.figures())
                .filteredOn(figure -> figure.form().equals(OperationTimes.ALL))
                .singleElement()
                .satisfies(figure -> assertThat(figure.value()).isEqualTo(Spread.of(List.of(20.0))));
    }

    @Test
    void sums_withoutFirstMessage_areEmpty() {
        times.add("peer", Map.of(Operation.BOOT, 3.0));

        assertThat(times.sums()).isEmpty();
        assertThat(times.figures()).extracting(Figure::form).containsExactly(Operation.BOOT.label());
    }
}
