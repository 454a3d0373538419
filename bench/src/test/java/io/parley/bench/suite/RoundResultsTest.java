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

    private final RoundResults board = new RoundResults();
    private final List<Contender> contenders =
            List.of(ContenderRegistry.named("sockets"), ContenderRegistry.named("netty"));

    @Test
    void figures_takeRatiosRoundByRound() {
        note(1, "sockets", "caller", 10);
        note(1, "netty", "caller", 20);
        note(2, "sockets", "caller", 100); // a slow round for both
        note(2, "netty", "caller", 200);

        assertThat(netty().ratios()).containsEntry("sockets", new Spread(2, 2, 2));
        assertThat(netty().value()).isEqualTo(new Spread(110, 20, 200));
    }

    @Test
    void figures_leaveTheWarmUpOut() {
        note(0, "netty", "caller", 1000);
        note(1, "netty", "caller", 20);

        assertThat(netty().value().max()).isEqualTo(20);
    }

    @Test
    void figures_comparatorWithoutThatForm_isComparedInTheFormItHas() {
        note(1, "sockets", "caller", 10);
        note(1, "netty", "event", 30);

        assertThat(netty().ratios()).containsEntry("sockets", new Spread(3, 3, 3));
    }

    @Test
    void figures_roundThatTheComparatorLost_hasNoRatio() {
        note(1, "netty", "caller", 30);
        note(2, "sockets", "caller", 10);
        note(2, "netty", "caller", 20);

        assertThat(netty().ratios()).containsEntry("sockets", new Spread(2, 2, 2));
    }

    private void note(int round, String contender, String form, double value) {
        board.note(round, new RoundResults.Key(contender, form, 64), new RoundResults.Entry(value, Map.of(), 1));
    }

    private Figure netty() {
        return board.figures(contenders).stream()
                .filter(figure -> figure.contender().equals("netty"))
                .findFirst()
                .orElseThrow();
    }
}
