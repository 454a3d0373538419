package io.parley.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import io.parley.bench.worker.ContenderRegistry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RoundResultsTest {

    private final RoundResults results = new RoundResults();
    private final List<Contender> contenders =
            List.of(ContenderRegistry.named("sockets"), ContenderRegistry.named("netty"));

    @Test
    void figures_ratios_areCalculatedRoundByRound() {
        add(1, "sockets", "caller", 10);
        add(1, "netty", "caller", 20);
        add(2, "sockets", "caller", 100); // a slow round for both
        add(2, "netty", "caller", 200);

        assertThat(netty().ratios()).containsEntry("sockets", Spread.of(List.of(2.0, 2.0)));
        assertThat(netty().value()).isEqualTo(Spread.of(List.of(20.0, 200.0)));
    }

    @Test
    void figures_warmUpRound_isExcluded() {
        add(0, "netty", "caller", 1000);
        add(1, "netty", "caller", 20);

        assertThat(netty().value().max()).isEqualTo(20);
    }

    @Test
    void figures_comparatorWithoutThatForm_isComparedInItsOnlyForm() {
        add(1, "sockets", "caller", 10);
        add(1, "netty", "event", 30);

        assertThat(netty().ratios()).containsEntry("sockets", Spread.of(List.of(3.0)));
    }

    @Test
    void figures_comparatorInAnotherForm_hasNoRatio() {
        add(1, "sockets", "1 pending", 10);
        add(1, "netty", "64 pending", 30);

        assertThat(netty().ratios()).isEmpty();
    }

    @Test
    void figures_roundWithoutComparator_hasNoRatio() {
        add(1, "netty", "caller", 30);
        add(2, "sockets", "caller", 10);
        add(2, "netty", "caller", 20);

        assertThat(netty().ratios()).containsEntry("sockets", Spread.of(List.of(2.0)));
    }

    @Test
    void figures_processorTime_hasRatiosOfItsOwn() {
        addWithCpu(1, "sockets", 10, 5);
        addWithCpu(1, "netty", 20, 20);
        addWithCpu(2, "sockets", 10, 5);
        addWithCpu(2, "netty", 20, 40);

        assertThat(netty().ratios()).containsEntry("sockets", Spread.of(List.of(2.0, 2.0)));
        assertThat(netty().cpuRatios()).containsEntry("sockets", Spread.of(List.of(4.0, 8.0)));
    }

    @Test
    void figures_withoutProcessorTime_haveNoRatiosOfIt() {
        add(1, "sockets", "caller", 10);
        add(1, "netty", "caller", 20);

        assertThat(netty().cpuRatios()).isEmpty();
    }

    private void addWithCpu(int round, String contender, double value, double cpu) {
        results.add(
                round,
                new RoundResults.Key(contender, "caller", 64),
                new RoundResults.Entry(value, Map.of(CpuCost.BOTH_SIDES, cpu), 1));
    }

    private void add(int round, String contender, String form, double value) {
        results.add(round, new RoundResults.Key(contender, form, 64), new RoundResults.Entry(value, Map.of(), 1));
    }

    private Figure netty() {
        return results.figures(contenders).stream()
                .filter(figure -> figure.contender().equals("netty"))
                .findFirst()
                .orElseThrow();
    }
}
