package io.parley.examples;

import io.parley.examples.console.CommandFailedException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** The entry of the benchmarks in the list of commands. The launcher script runs them from a jar of their own. */
@Command(
        name = "bench",
        description = "Run the benchmarks. \"parley bench --help\" lists their commands.",
        customSynopsis = "parley bench [-hV] COMMAND",
        mixinStandardHelpOptions = true,
        footerHeading = "Commands:%n",
        footer = {
            "  list   List the suites and the contenders.",
            "  run    Run suites and write results.json and report.html.",
            "  check  Compare the figures of runs with the targets.",
            "",
            "\"./parley bench COMMAND --help\" describes a command. The script ./parley builds the benchmarks first if they are"
                    + " missing."
        })
final class BenchCommand implements Callable<Integer> {

    @Override
    public Integer call() {
        throw new CommandFailedException(
                "The benchmarks are in another jar. Run them with the script: ./parley bench.");
    }
}
