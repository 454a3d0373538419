package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.shell.LineSender;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Sends lines to a pipe or to the shell of a peer. */
@Command(
        name = "talk",
        description = {
            "Send lines to a pipe, or to the shell of a peer.",
            "\"parley publish --pipe\" and \"publish\" in a shell print the lines that arrive on a pipe."
        },
        mixinStandardHelpOptions = true)
final class TalkCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Mixin
    private GroupOption group = new GroupOption();

    @Parameters(index = "0", paramLabel = "PIPE|PEER", description = "Name of a pipe, or name or id of a peer.")
    private String target = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "TEXT",
            description = "Line to send. Default: all lines of the standard input")
    private List<String> words = new ArrayList<>();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Console console = common.console();
        try (Peer peer = ShutdownSignal.closing(overlay.start());
                LineSender sender = LineSender.connect(group.join(peer), target)) {
            if (!words.isEmpty()) {
                sender.send(String.join(" ", words));
                console.remark("Sent to " + sender.name() + ".");
                return 0;
            }
            console.remark("Connected to " + sender.name() + ". The end of the input ends the command.");
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (@Nullable String line; (line = input.readLine()) != null; ) {
                if (!line.isBlank()) {
                    sender.send(line);
                }
            }
        }
        return 0;
    }
}
