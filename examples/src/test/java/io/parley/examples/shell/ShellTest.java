package io.parley.examples.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.parley.Peer;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.examples.MemoryNet;
import io.parley.examples.console.Console;
import io.parley.examples.search.AdvertisementKinds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ShellTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final MemoryNet network = new MemoryNet();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Shell shell = new Shell(TIMEOUT);

    @AfterEach
    void close() {
        network.close();
    }

    private int run(Peer peer, String... lines) throws Exception {
        return run(shell, peer, lines);
    }

    private int run(Shell shell, Peer peer, String... lines) throws Exception {
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
                        "Joined the group coffee.",
                        "Joined the group tea.",
                        "Groups      tea, coffee",
                        "Left the group tea.",
                        "Left the group coffee.",
                        "cannot be left");
        assertThat(peer.groups()).isEmpty();
    }

    @Test
    void mistakes_areOneSentenceEachAndTheShellContinues() throws Exception {
        int failures =
                run(network.start("alice"), "", "dance", "join", "join a b", "publish a b", "join \"open", "help");

        assertThat(failures).isEqualTo(5);
        assertThat(out.toString(StandardCharsets.UTF_8).lines().limit(5))
                .containsExactly(
                        "Unknown command dance. \"help\" lists the commands.",
                        "Usage: join GROUP",
                        "Usage: join GROUP",
                        "Usage: publish --pipe NAME, or: publish FILE",
                        "A quote is not closed. Close it, or type \\\" for the character itself.");
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("talk PIPE|PEER [TEXT]");
    }

    @Test
    void emptyWord_isIgnored() throws Exception {
        assertThat(run(network.start("alice"), "\"\"", "help")).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8)).contains("talk PIPE|PEER [TEXT]");
    }

    @Test
    void commentsAndEmptyLines_areIgnored() throws Exception {
        assertThat(run(network.start("alice"), "# a script", "", "  ", "  #join tea", "#"))
                .isZero();

        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void lineWithTheSignOfAComment_isSentInATalk() throws Exception {
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(received, true, StandardCharsets.UTF_8);
        try (ShellGroup bob =
                new ShellGroup(network.start("bob").netGroup(), new Console(stream, stream, false, false))) {
            assertThat(run(network.start("alice"), "talk bob", "# one", "/end")).isZero();

            await().atMost(TIMEOUT)
                    .untilAsserted(() -> assertThat(received.toString(StandardCharsets.UTF_8))
                            .contains("): # one\n"));
        }
    }

    @Test
    void status_beforeARendezvousHasResponded_statesThatItConnects() throws Exception {
        try (Peer alice =
                network.builder("alice").rendezvous("mem://rendezvous").start()) {
            run(alice, "status");

            assertThat(out.toString(StandardCharsets.UTF_8)).contains("Rendezvous  connecting to mem://rendezvous");

            run(network.start("bob"), "status");
            assertThat(out.toString(StandardCharsets.UTF_8)).contains("Rendezvous  none\n");
        }
    }

    @Test
    void script_isReadAsPlainLines_alsoIfTheOutputIsATerminal() throws Exception {
        PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
        try (ShellInput input = ShellInput.of(new Console(stream, stream, false, true), shell::completions, null)) {
            assertThat(input).isInstanceOf(PlainInput.class);
        }
    }

    @Test
    void talk_reachesTheShellOfThePeerOfThatName() throws Exception {
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(received, true, StandardCharsets.UTF_8);
        try (ShellGroup bob =
                new ShellGroup(network.start("bob").netGroup(), new Console(stream, stream, false, false))) {
            int failures =
                    run(network.start("alice"), "talk bob \"good  morning\"", "talk bob", "how are you?", "/end");

            assertThat(failures).isZero();
            assertThat(out.toString(StandardCharsets.UTF_8))
                    .contains("Sent to bob.", "All lines go to bob until /end.");
            await().atMost(TIMEOUT)
                    .untilAsserted(() -> assertThat(received.toString(StandardCharsets.UTF_8))
                            .containsPattern(
                                    "alice \\(\\w{8}\\): good {2}morning\nalice \\(\\w{8}\\): how are you\\?\n"));
        }
    }

    @Test
    void talk_twoShellsWithTheName_printsTheirIds() throws Exception {
        Console console = new Console(new PrintStream(out), new PrintStream(out), false, false);
        Peer one = network.start("one", "bob");
        Peer two = network.start("two", "bob");
        try (ShellGroup first = new ShellGroup(one.netGroup(), console);
                ShellGroup second = new ShellGroup(two.netGroup(), console)) {
            Peer alice = network.start("alice");
            DiscoveryQuery bobs = AdvertisementKinds.query("peers", AdvertisementKinds.NAME, "bob");
            await().atMost(TIMEOUT)
                    .until(() -> alice.netGroup()
                                    .discovery()
                                    .find(bobs, SearchOptions.of(Duration.ofSeconds(2), 2))
                                    .join()
                                    .size()
                            == 2);

            // Repeated, because a shell that responds late does not take part in the round.
            await().atMost(TIMEOUT)
                    .untilAsserted(() -> assertThat(run(new Shell(TIMEOUT), alice, "talk bob hello"))
                            .as("failures")
                            .isEqualTo(1));
            assertThat(out.toString(StandardCharsets.UTF_8))
                    .contains(
                            "2 peers have the name bob: ",
                            one.id().text(),
                            two.id().text())
                    .contains("Use the id of one of them instead of the name.");
        }
    }

    @Test
    void talk_unknownNameOrOwnId_isOneSentence() throws Exception {
        Peer alice = network.start("alice");

        int failures = run(new Shell(Duration.ofSeconds(2)), alice, "talk carol hello", "talk " + alice.id());

        assertThat(failures).isEqualTo(2);
        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .containsExactly(
                        "No holder of a pipe carol and no shell of a peer with that name has responded within 2 s."
                                + " \"search pipes\" and \"search peers\" list what this group contains.",
                        "This is the id of this peer. Use another peer.");
    }

    @Test
    void pingAndStatus_useNamesInsteadOfIds() throws Exception {
        Peer bob = network.start("bob");
        Peer alice = network.start("alice");

        int failures = run(alice, "ping bob", "status");

        assertThat(failures).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .containsPattern("bob: time=\\d+\\.\\d{3} ms\n")
                .contains("Connected   to bob (" + bob.id().shortText() + ")\n")
                .doesNotContain(bob.id().text());
    }

    @Test
    void completion_containsCommandsAndKnownNames() throws Exception {
        network.start("bob");
        Peer alice = network.start("alice");
        // Repeated, because the time of a search can be over before its first result.
        await().atMost(TIMEOUT).until(() -> {
            run(alice, "join tea", "leave", "search peers bob");
            return shell.completions().names().size() > 1;
        });

        assertThat(shell.completions().commands()).contains("search", "talk", "help", "exit");
        assertThat(shell.completions().names()).containsExactly("bob", "tea");
    }

    @Test
    void lineOutputStream_passesCompleteLines() {
        List<String> lines = new ArrayList<>();
        PrintStream stream =
                new PrintStream(new TerminalInput.LineOutputStream(lines::add), true, StandardCharsets.UTF_8);
        stream.print("gr\u00fc");
        stream.print("n\r\nblau\n");

        assertThat(lines).containsExactly("gr\u00fcn", "blau");
    }
}
