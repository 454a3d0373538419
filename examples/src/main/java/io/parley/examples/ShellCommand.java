package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.shell.Shell;
import io.parley.examples.shell.ShellInput;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A prompt. */
@Command(
        name = "shell",
        description = {
            "Explore the network at a prompt: find peers, join groups, publish and talk.",
            "\"help\" lists what can be typed; the tab key completes commands, and names that were seen before. What was typed is kept",
            "for the next time if there is a --home. Commands may also come from a file or a program, one per line: then the exit",
            "code is 1 when one of them has failed."
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
        try (Peer peer = overlay.start();
                ShellInput input = ShellInput.of(console, shell::vocabulary, overlay.inHome("shell-history"))) {
            console.remark("This is peer " + peer.id() + ". \"help\" lists what you can do.");
            int failures = shell.run(peer, !overlay.network().isMulticast(), input);
            return failures == 0 || console.hasTerminal() ? 0 : 1;
        }
    }
}
