package io.parley.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Machine;
import io.parley.bench.result.Results;
import io.parley.bench.result.ResultsJson;
import io.parley.bench.result.Spread;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CheckCommandTest {

    private final StringWriter out = new StringWriter();

    @TempDir
    private Path folder = Path.of("");

    @Test
    void check_withoutMeasuredTarget_returns2() throws IOException {
        assertThat(check(List.of())).isEqualTo(2);

        assertThat(out.toString()).contains("No target was measured");
    }

    @Test
    void check_targetNotMeasured_fails() throws IOException {
        Figure figure = new Figure(
                "parley", "questions", 0, Spread.of(Collections.nCopies(15, 20_000.0)), Map.of(), 1, Map.of());

        assertThat(check(List.of(figure))).isEqualTo(1);

        assertThat(out.toString())
                .contains("held   rendezvous-finds, parley, questions: 20,000 [20,000 to 20,000]")
                .contains("ABSENT to-first-message");
    }

    private int check(List<Figure> figures) throws IOException {
        Experiment experiment = new Experiment(
                "rendezvous",
                "rendezvous-finds",
                "question",
                "method",
                "rate",
                "1/s",
                Experiment.Better.MORE,
                Experiment.Chart.BARS_BY_FORM,
                figures);
        Results results = new Results("now", 1, "full", 15, Machine.here(), List.of(), List.of(experiment), List.of());
        Path file = Files.writeString(folder.resolve("results.json"), ResultsJson.write(results));
        return BenchMain.commandLine().setOut(new PrintWriter(out, true)).execute("check", file.toString());
    }
}
