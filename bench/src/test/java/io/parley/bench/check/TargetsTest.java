package io.parley.bench.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Machine;
import io.parley.bench.result.Results;
import io.parley.bench.result.Spread;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TargetsTest {

    @Test
    void check_noneMeasured_returnsNoLines() {
        Targets.Verdict verdict = Targets.check(results(List.of()));
        assertThat(verdict.lines()).isEmpty();
        assertThat(verdict.missed()).isZero();
    }

    @Test
    void check_valuesAndRatios_areMetOrMissed() {
        Targets.Verdict verdict = Targets.check(results(List.of(
                experiment(
                        "to-first-message",
                        figure("parley, warm", "start to first message", 299, Map.of()),
                        figure("parley, cold", "start to first message", 1501, Map.of())),
                experiment(
                        "operations-rendezvous",
                        figure("parley, warm", "boot", 1, Map.of("jxta-2.5, warm", Spread.of(List.of(9.0)))),
                        figure("parley, warm", "all ten", 150, Map.of("jxta-2.5, warm", Spread.of(List.of(0.07))))),
                experiment("rendezvous-finds", figure("parley", "questions", 9_999, Map.of())))));
        assertThat(verdict.missed()).isEqualTo(2);
        assertThat(verdict.lines())
                .containsExactly(
                        "held   to-first-message, parley, warm, start to first message: 299.00 (expected: <= 300.00)",
                        "MISSED to-first-message, parley, cold, start to first message: 1,501.0 (expected: <= 1,500.0)",
                        "held   operations-rendezvous, parley, warm, all ten, to jxta-2.5, warm: 0.070000"
                                + " (expected: <= 0.10000)",
                        "MISSED rendezvous-finds, parley, questions: 9,999.0 (expected: >= 10,000)");
    }

    private static Figure figure(String contender, String form, double value, Map<String, Spread> ratios) {
        return new Figure(contender, form, 0, Spread.of(List.of(value)), Map.of(), 1, ratios);
    }

    private static Experiment experiment(String id, Figure... figures) {
        return new Experiment(
                "suite",
                id,
                "question",
                "method",
                "median",
                "ms",
                Experiment.Better.LESS,
                Experiment.Chart.BARS_BY_FORM,
                List.of(figures));
    }

    private static Results results(List<Experiment> experiments) {
        return new Results("now", 1, "quick", 3, Machine.here(), List.of(), experiments, List.of());
    }
}
