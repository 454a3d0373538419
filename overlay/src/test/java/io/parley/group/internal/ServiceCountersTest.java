package io.parley.group.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.group.CounterProvider;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ServiceCountersTest {

    private enum Weather {
        FORECASTS_MADE,
        FORECASTS_WRONG
    }

    private enum Other {
        FORECASTS_WRONG
    }

    private static Map<String, Long> counts(ServiceCounters counters) {
        Map<String, Long> counts = new TreeMap<>();
        counters.forEach((counter, count) -> counts.put(counter.name(), count));
        return counts;
    }

    @Test
    void declared_areZero_andCount() {
        ServiceCounters counters = new ServiceCounters(List.<CounterProvider>of(() -> Weather.class));
        assertThat(counts(counters)).isEqualTo(Map.of("FORECASTS_MADE", 0L, "FORECASTS_WRONG", 0L));
        counters.add(Weather.FORECASTS_MADE, 3);
        counters.add(Weather.FORECASTS_MADE, 2);
        assertThat(counts(counters)).isEqualTo(Map.of("FORECASTS_MADE", 5L, "FORECASTS_WRONG", 0L));
    }

    @Test
    void undeclared_isRejected() {
        ServiceCounters counters = new ServiceCounters(List.<CounterProvider>of(() -> Weather.class));
        assertThatThrownBy(() -> counters.add(Other.FORECASTS_WRONG, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("FORECASTS_WRONG")
                .hasMessageContaining("CounterProvider");
    }

    @Test
    void sameName_ofTwoProviders_isRejected() {
        List<CounterProvider> providers = List.of(() -> Weather.class, () -> Other.class);
        assertThatThrownBy(() -> new ServiceCounters(providers))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("FORECASTS_WRONG");
    }
}
