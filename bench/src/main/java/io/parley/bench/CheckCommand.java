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

/** Compares the results of a run with the performance targets. */
@Command(
        name = "check",
        description = {
            "Compare the figures of a run with the targets.",
            "Exit codes: 0 if all measured targets are met, 1 if a target is missed, 2 if no target was measured."
        },
        mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The results.json file of the run.")
    private Path file = Path.of("results.json");

    @Override
    public Integer call() throws Exception {
        Targets.Verdict verdict = Targets.check(ResultsJson.read(Files.readString(file)));
        PrintWriter out = spec.commandLine().getOut();
        verdict.lines().forEach(out::println);
        if (verdict.lines().isEmpty()) {
            out.println("No target was measured in this run.");
        }
        out.flush();
        return verdict.lines().isEmpty() ? 2 : verdict.missed() > 0 ? 1 : 0;
    }
}
