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

    private static final Duration PATIENCE = Duration.ofSeconds(30);

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
    void talk_reachesTheShellOfThePeerOfThatName() throws Exception {
        ByteArrayOutputStream heard = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(heard, true, StandardCharsets.UTF_8);
        try (ShellGroup bob =
                new ShellGroup(network.start("bob").netGroup(), new Console(stream, stream, false, false))) {
            int failures =
                    run(network.start("alice"), "talk bob \"good  morning\"", "talk bob", "how are you?", "/end");

            assertThat(failures).isZero();
            assertThat(out.toString(StandardCharsets.UTF_8))
                    .contains("Sent to bob.", "Every line goes to bob now. /end ends that.");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(heard.toString(StandardCharsets.UTF_8))
                            .containsPattern("\\w+ says: good {2}morning\n\\w+ says: how are you\\?\n"));
        }
    }

    @Test
    void talk_whenTwoShellsBearTheName_saysWhichIdsThereAre() throws Exception {
        Console console = new Console(new PrintStream(out), new PrintStream(out), false, false);
        Peer one = network.start("one", "bob");
        Peer two = network.start("two", "bob");
        try (ShellGroup first = new ShellGroup(one.netGroup(), console);
                ShellGroup second = new ShellGroup(two.netGroup(), console)) {
            Peer alice = network.start("alice");
            DiscoveryQuery bobs = AdvertisementKinds.query("peers", AdvertisementKinds.NAME, "bob");
            await().atMost(PATIENCE)
                    .until(() -> alice.netGroup()
                                    .discovery()
                                    .find(bobs, SearchOptions.of(Duration.ofSeconds(2), 2))
                                    .join()
                                    .size()
                            == 2);

            int failures = run(alice, "talk bob hello");

            assertThat(failures).isEqualTo(1);
            assertThat(out.toString(StandardCharsets.UTF_8))
                    .contains(
                            "2 peers go by the name bob: ",
                            one.id().text(),
                            two.id().text())
                    .contains("Give the id of the one you mean instead of the name.");
        }
    }

    @Test
    void talk_toNobody_saysWhereToLook() throws Exception {
        Peer alice = network.start("alice");

        int failures = run(alice, "talk carol hello", "talk " + alice.id());

        assertThat(failures).isEqualTo(2);
        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .containsExactly(
                        "Nobody in this group who holds a pipe carol, and no shell of a peer of that name, has answered"
                                + " within 10 s. \"pipes\" and \"peers\" list who is there.",
                        "That is this very peer. Talk to another one.");
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
        PrintStream stream = new PrintStream(new LineOutputStream(lines::add), true, StandardCharsets.UTF_8);
        stream.print("gr\u00fc");
        stream.print("n\r\nblau\n");

        assertThat(lines).containsExactly("gr\u00fcn", "blau");
    }
}
