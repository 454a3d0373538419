package io.parley.bench;

import io.parley.bench.check.Targets;
import io.parley.bench.result.Results;
import io.parley.bench.result.ResultsJson;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares the results of a run with the performance targets. */
@Command(
        name = "check",
        description = {
            "Compare the figures of runs with the targets.",
            "A target of one placement of the processes is judged by the runs with that placement, any other by all runs.",
            "A target is met if it was measured in at least 15 rounds and its limit is outside of the 95 %% interval of the"
                    + " median.",
            "Exit codes: 0 if all targets are met, 1 if one is missed, open or was not measured, 2 if none was measured."
        },
        mixinStandardHelpOptions = true)
final class CheckCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "FILE",
            description = "The results.json files of the runs, such as one for each placement. Default: results.json.")
    private List<Path> files = List.of(Path.of("results.json"));

    @Override
    public Integer call() throws Exception {
        List<Results> runs = new ArrayList<>();
        for (Path file : files) {
            runs.add(ResultsJson.read(Files.readString(file)));
        }
        Targets.Outcome outcome = Targets.check(runs);
        PrintWriter out = spec.commandLine().getOut();
        outcome.lines().forEach(out::println);
        if (outcome.measured() == 0) {
            out.println("No target was measured.");
        }
        out.flush();
        return outcome.measured() == 0 ? 2 : outcome.unmet() > 0 ? 1 : 0;
    }
}
