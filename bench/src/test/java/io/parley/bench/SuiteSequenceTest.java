package io.parley.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.bench.result.Experiment;
import io.parley.bench.suite.Suite;
import io.parley.bench.suite.SuiteContext;
import io.parley.bench.suite.TimeBudget;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SuiteSequenceTest {

    private final SuiteContext context = new SuiteContext(List.of(), TimeBudget.tiny(), Path.of(""), line -> {});
    private final List<List<Experiment>> results = new ArrayList<>();
    private final StringWriter log = new StringWriter();
    private final SuiteSequence sequence =
            new SuiteSequence(suite -> context, results::add, new PrintWriter(log, true));

    @Test
    void run_suiteThatFails_isReported_andKeepsWhatItHas_andTheNextOneRuns() throws Exception {
        sequence.run(List.of(
                new Stub("first", suite -> List.of(experiment("one"))),
                new Stub("second", suite -> {
                    suite.keep(List.of(experiment("two")));
                    throw new NumberFormatException("not a number");
                }),
                new Stub("third", suite -> List.of(experiment("three")))));

        assertThat(results.get(results.size() - 1)).extracting(Experiment::id).containsExactly("one", "two", "three");
        assertThat(context.failures()).containsExactly("second: java.lang.NumberFormatException: not a number");
        assertThat(context.incomplete()).isTrue();
        assertThat(log.toString()).contains("at io.parley.bench.SuiteSequenceTest");
    }

    @Test
    void run_interrupted_endsTheRun() {
        assertThatThrownBy(() -> sequence.run(List.of(
                        new Stub("first", suite -> {
                            throw new InterruptedException("interrupted on purpose");
                        }),
                        new Stub("second", suite -> List.of(experiment("two"))))))
                .isInstanceOf(InterruptedException.class);

        assertThat(results).isEmpty();
    }

    private static Experiment experiment(String id) {
        return new Experiment(
                "stub", id, id, "", "rate", "1/s", Map.of(), Experiment.Better.MORE, Experiment.Chart.BARS, List.of());
    }

    private interface Body {
        List<Experiment> run(SuiteContext context) throws Exception;
    }

    private record Stub(String name, Body body) implements Suite {

        @Override
        public String description() {
            return name;
        }

        @Override
        public List<Experiment> run(SuiteContext context) throws Exception {
            return body.run(context);
        }
    }
}
