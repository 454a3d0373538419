package io.parley.examples;

import io.parley.examples.console.Console;
import io.parley.examples.console.ParentProcessWatcher;
import picocli.CommandLine.Option;

/** The options of all commands. */
final class CommonOptions {

    @Option(names = "--json", description = "Print each result as one JSON object per line.")
    private boolean json;

    @Option(
            names = {"-v", "--verbose"},
            description = "Log all events, and print the stack trace of a failure.")
    @SuppressWarnings("UnusedVariable") // read by Parley before the command runs
    private boolean verbose;

    @Option(names = "--exit-with-stdin", hidden = true, description = "Exit when the standard input ends.")
    private boolean exitWithStdin;

    /** Returns the console of the command. */
    Console console() {
        if (exitWithStdin) {
            ParentProcessWatcher.start(System.in);
        }
        return Console.ofProcess(json);
    }
}
