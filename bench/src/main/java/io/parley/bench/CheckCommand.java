package io.parley.bench;

import io.parley.bench.check.Targets;
import io.parley.bench.result.ResultsJson;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares what a run has found with what is promised. */
@Command(
        name = "check",
        description = {
            "Compares the figures of a run with the targets.",
            "Exit code 1 means that one was missed, 2 that none of them was measured."
        },
        mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The results.json of the run.")
    private Path file = Path.of("results.json");

    @Override
    public Integer call() throws Exception {
        Targets.Verdict verdict = Targets.judge(ResultsJson.read(Files.readString(file)));
        PrintWriter out = spec.commandLine().getOut();
        verdict.sentences().forEach(out::println);
        if (verdict.sentences().isEmpty()) {
            out.println("None of the targets was measured in this run.");
        }
        out.flush();
        return verdict.sentences().isEmpty() ? 2 : verdict.missed() > 0 ? 1 : 0;
    }
}
