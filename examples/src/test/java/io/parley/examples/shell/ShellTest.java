package io.parley.examples.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.examples.MemoryNet;
import io.parley.examples.console.Console;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ShellTest {

    private final MemoryNet network = new MemoryNet();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Shell shell = new Shell();

    @AfterEach
    void close() {
        network.close();
    }

    private int run(Peer peer, String... lines) throws Exception {
        PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
        ByteArrayInputStream input =
                new ByteArrayInputStream(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
        try (ShellInput typed = new PlainInput(new Console(stream, stream, false, false), input)) {
            return shell.run(peer, false, typed);
        }
    }

    @Test
    void joinAndLeave_changeTheGroupAndTheNetGroupStays() throws Exception {
        Peer peer = network.start("alice");

        int failures =
                run(peer, "join tea", "join coffee", "join tea", "status", "leave", "leave", "leave", "exit", "status");

        assertThat(failures).isEqualTo(1);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .containsSubsequence(
                        "You are in the group coffee.",
                        "You are in the group tea.",
                        "Groups      tea, coffee",
                        "You have left the group tea.",
                        "You have left the group coffee.",
                        "there is nothing to leave");
        assertThat(peer.groups()).isEmpty();
    }

    @Test
    void mistakes_areOneSentenceEachAndTheShellGoesOn() throws Exception {
        int failures =
                run(network.start("alice"), "", "dance", "join", "join a b", "search x y", "join \"open", "help");

        assertThat(failures).isEqualTo(5);
        assertThat(out.toString(StandardCharsets.UTF_8).lines().limit(5))
                .containsExactly(
                        "There is no command dance. \"help\" lists them.",
                        "Type: join GROUP",
                        "Type: join GROUP",
                        "A PATTERN is missing. Type: search TYPE ATTRIBUTE PATTERN",
                        "A quote is not closed. Close it, or type \\\" for the character itself.");
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("talk PIPE|PEER [TEXT]");
    }

    @Test
    void completion_knowsCommandsAndWhatWasSeen() throws Exception {
        network.start("bob");
        run(network.start("alice"), "join tea", "leave", "peers bob");

        assertThat(shell.vocabulary().commands()).contains("peers", "talk", "help", "exit");
        assertThat(shell.vocabulary().names()).containsExactly("bob", "tea");
    }

    @Test
    void lineStream_givesLinesOn() {
        List<String> lines = new ArrayList<>();
        PrintStream stream = new PrintStream(new LineStream(lines::add), true, StandardCharsets.UTF_8);
        stream.print("gr\u00fc");
        stream.print("n\r\nblau\n");

        assertThat(lines).containsExactly("gr\u00fcn", "blau");
    }
}
