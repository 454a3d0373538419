package io.parley.examples;

import io.parley.examples.console.Console;
import io.parley.examples.console.ParentProcessWatcher;
import picocli.CommandLine.Option;

/** The options of every command. */
final class CommonOptions {

    @Option(names = "--json", description = "Print results as JSON, one object per line.")
    private boolean json;

    @Option(
            names = {"-v", "--verbose"},
            description = "Log what happens, and show the stack of a failure.")
    @SuppressWarnings("UnusedVariable") // read by Parley before the command runs
    private boolean verbose;

    @Option(names = "--exit-with-stdin", hidden = true, description = "End when the standard input ends.")
    private boolean exitWithStdin;

    /** Where the command's words go. */
    Console console() {
        if (exitWithStdin) {
            ParentProcessWatcher.start(System.in);
        }
        return Console.ofProcess(json);
    }
}
