package io.parley.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.bench.result.Figure;
import io.parley.bench.result.Results;
import io.parley.bench.result.ResultsJson;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The bench command with a folder for its results. */
final class BenchCommand {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final Path folder;

    BenchCommand(Path folder) {
        PackagedBenchmarks.use();
        this.folder = folder;
    }

    /** Runs suites with the smallest time budget. Asserts that nothing fails. */
    Results measure(String contenders, List<String> suites, String... options) throws IOException {
        List<String> args = new ArrayList<>(List.of("run"));
        args.addAll(suites);
        args.addAll(List.of("--tiny", "--out", folder.toString(), "--contender", contenders));
        args.addAll(List.of(options));
        assertThat(run(args.toArray(String[]::new))).as(this::output).isZero();
        Results results = ResultsJson.read(Files.readString(results()));
        assertThat(results.failures()).isEmpty();
        return results;
    }

    /** Returns the output and the errors. */
    String output() {
        return out.toString() + err;
    }

    /** Returns the file with the results of the last run. */
    Path results() {
        return folder.resolve("results.json");
    }

    /** Returns the report of the last run. */
    String report() throws IOException {
        return Files.readString(folder.resolve("report.html"));
    }

    /** Returns the exit code. */
    int run(String... args) {
        return BenchMain.commandLine().setOut(printer(out)).setErr(printer(err)).execute(args);
    }

    private static PrintWriter printer(Writer writer) {
        return new PrintWriter(writer, true);
    }

    static List<Figure> figures(Results results, String experiment, String contender) {
        return results.experiments().stream()
                .filter(candidate -> candidate.id().equals(experiment))
                .flatMap(candidate -> candidate.figures().stream())
                .filter(figure -> figure.contender().equals(contender))
                .toList();
    }

    static String details(Results results, String contender) {
        return results.contenders().stream()
                .filter(entrant -> entrant.name().equals(contender))
                .map(Results.Entrant::details)
                .findFirst()
                .orElseThrow();
    }
}
