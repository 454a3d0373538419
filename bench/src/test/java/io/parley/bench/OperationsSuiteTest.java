package io.parley.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.operation.Operation;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Results;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the suite of the operations of a peer with the smallest time budget. */
@Tag("suite")
final class OperationsSuiteTest {

    private BenchCommand bench = new BenchCommand(Path.of(""));

    @BeforeEach
    void useFolder(@TempDir Path folder) {
        bench = new BenchCommand(folder);
    }

    @Test
    void run_operations_areMeasuredColdAndWarmWithDelay() throws IOException {
        Results results = bench.measure("parley-pipe-tls", List.of("peer-operations"));

        assertThat(results.experiments())
                .extracting(Experiment::id)
                .containsExactly("operations-far-rendezvous", "to-first-message");
        assertThat(results.experiments())
                .allSatisfy(experiment -> assertThat(experiment.figures())
                        .extracting(Figure::contender)
                        .contains("parley, cold", "parley, warm"));
        assertThat(results.experiments().get(0).figures())
                .filteredOn(figure -> figure.contender().equals("parley, warm"))
                .extracting(Figure::form)
                .containsExactly(labels());
        assertThat(results.experiments().get(0).figures())
                .filteredOn(figure -> figure.form().equals(Operation.JOIN_GROUP.label())
                        && figure.contender().startsWith("parley"))
                .as("the rendezvous is 67 ms away")
                .allSatisfy(figure -> assertThat(figure.value().min()).isGreaterThanOrEqualTo(67));
    }

    private static String[] labels() {
        return Stream.concat(
                        Stream.of(Operation.values()).map(Operation::label),
                        Stream.of("start to first message", "all ten"))
                .toArray(String[]::new);
    }

    @Test
    @Tag("slow")
    void run_operationsOfJxta_areComparedWithParley() throws IOException {
        Results results = bench.measure("parley-pipe-tls,jxta-pipe", List.of("peer-operations"));

        assertThat(results.experiments().get(0).figures())
                .filteredOn(figure -> figure.contender().equals("parley, cold"))
                .allSatisfy(figure -> assertThat(figure.ratios())
                        .containsKey("jxta-2.5, cold")
                        .doesNotContainKey("jxta-2.5, warm"));
        assertThat(results.experiments().get(0).figures())
                .filteredOn(figure -> figure.contender().equals("parley, warm"))
                .allSatisfy(figure -> assertThat(figure.ratios())
                        .containsKey("jxta-2.5, warm")
                        .doesNotContainKey("jxta-2.5, cold"));
    }
}
