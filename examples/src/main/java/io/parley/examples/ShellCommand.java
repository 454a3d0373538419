package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.shell.Shell;
import io.parley.examples.shell.ShellInput;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs the shell. */
@Command(
        name = "shell",
        description = {
            "Explore the network interactively: search, join groups, publish and talk.",
            "\"help\" lists the commands. The tab key completes commands and known names. With --home, the history is stored"
                    + " there. The standard input may be a file or a pipe with one command per line; then exit code 1 means that a"
                    + " command has failed. Empty lines and lines that begin with # are ignored."
        },
        mixinStandardHelpOptions = true)
final class ShellCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Console console = common.console();
        Shell shell = new Shell();
        try (Peer peer = ShutdownSignal.closing(overlay.start());
                ShellInput input = ShellInput.of(console, shell::completions, overlay.inHome("shell-history"))) {
            console.remark("This is peer " + peer.name() + ", " + peer.id() + ". \"help\" lists the commands.");
            int failures = shell.run(peer, !overlay.network().isMulticast(), input);
            return failures == 0 || console.canAsk() ? 0 : 1;
        }
    }
}
