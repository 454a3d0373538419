package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that find each other by name. */
@Timeout(180)
class OverlayProcessTest {

    private static final String HERE = "tcp://127.0.0.1:0";

    @TempDir
    private Path directory;

    private ParleyProcess start(String... arguments) throws IOException {
        return ParleyProcess.start(directory, arguments);
    }

    /** Starts a process that uses only these rendezvous, without multicast. */
    private ParleyProcess start(List<String> rendezvous, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.add("--no-multicast");
        for (String address : rendezvous) {
            words.addAll(List.of("--rendezvous", address));
        }
        return start(words.toArray(String[]::new));
    }

    private ParleyProcess rendezvous(String... others) throws IOException {
        return start(List.of(others), "rendezvous", "--json", "--address", HERE);
    }

    private static String addressOf(ParleyProcess rendezvous) throws InterruptedException {
        return field(rendezvous.lines().awaitContaining("\"rendezvous\""), "rendezvous");
    }

    private static String field(String json, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        assertThat(matcher.find()).as("%s in %s", name, json).isTrue();
        return matcher.group(1);
    }

    private ParleyProcess chatter(String name, String room, String... rendezvous) throws IOException {
        return start(List.of(rendezvous), "chat", room, "--name", name, "--address", HERE);
    }

    private static void awaitAnnounced(ParleyProcess.Lines lines, String... names) throws InterruptedException {
        for (String name : names) {
            lines.await(line -> line.startsWith("* " + name + " is here ("));
        }
    }

    @Test
    void lobby_participantsOfARoom_findEachOtherAlsoLater() throws Exception {
        try (ParleyProcess rendezvous = rendezvous()) {
            String address = addressOf(rendezvous);
            try (ParleyProcess first = chatter("alice", "lobby", address);
                    ParleyProcess second = chatter("bob", "lobby", address);
                    ParleyProcess elsewhere = chatter("eve", "cellar", address)) {
                ParleyProcess.Lines alice = first.lines();
                ParleyProcess.Lines bob = second.lines();
                ParleyProcess.Lines eve = elsewhere.lines();
                awaitAnnounced(alice, "bob");
                awaitAnnounced(bob, "alice");
                try (ParleyProcess third = chatter("carol", "lobby", address)) {
                    ParleyProcess.Lines carol = third.lines();
                    awaitAnnounced(carol, "alice", "bob");
                    third.type("hello \u001b[2J");
                    alice.await("carol: hello  [2J"::equals);
                    bob.await("carol: hello  [2J"::equals);
                    first.type("welcome");
                    bob.await("alice: welcome"::equals);
                    carol.await("alice: welcome"::equals);

                    third.type("/quit");
                    third.assertSuccess();
                }
                alice.await("* carol has left"::equals);
                bob.await("* carol has left"::equals);
                second.kill();
                alice.await("* bob has left"::equals);
                assertThat(eve.toString()).isEmpty();
            }
        }
    }

    @Test
    void lobby_goesOnWhenTheRendezvousInUseIsKilled_andThenTheOtherToo() throws Exception {
        try (ParleyProcess one = rendezvous()) {
            String first = addressOf(one);
            String second = addressOfOneThatIsGone();
            try (ParleyProcess a = chatter("alice", "lobby", first, second);
                    ParleyProcess b = chatter("bob", "lobby", first, second)) {
                ParleyProcess.Lines alice = a.lines();
                ParleyProcess.Lines bob = b.lines();
                awaitAnnounced(alice, "bob");
                awaitAnnounced(bob, "alice");
                try (ParleyProcess two = rendezvousAt(second, first)) {
                    one.kill(); // both participants use it, because it was the only one when they joined

                    a.type("still there?");
                    bob.await("alice: still there?"::equals);
                    try (ParleyProcess c = chatter("carol", "lobby", first, second)) {
                        awaitAnnounced(c.lines(), "alice", "bob");
                        awaitAnnounced(alice, "carol");
                        c.type("me too");
                        alice.await("carol: me too"::equals);
                        bob.await("carol: me too"::equals);
                    }
                    two.kill();
                }

                b.type("no rendezvous left");
                alice.await("bob: no rendezvous left"::equals);
                // Only the participants themselves can have informed this rendezvous.
                try (ParleyProcess again = rendezvousAt(first);
                        ParleyProcess d = chatter("dave", "lobby", first, second)) {
                    awaitAnnounced(d.lines(), "alice", "bob");
                    d.type("hello");
                    alice.await("dave: hello"::equals);
                    bob.await("dave: hello"::equals);
                }
                assertThat(alice.toString()).doesNotContain("bob has left");
            }
        }
    }

    /** Returns an address at which a rendezvous can run later. */
    private String addressOfOneThatIsGone() throws Exception {
        try (ParleyProcess gone = rendezvous()) {
            return addressOf(gone);
        }
    }

    /** Starts a rendezvous at an address that other peers know already, and waits until it runs. */
    private ParleyProcess rendezvousAt(String address, String... others) throws Exception {
        ParleyProcess rendezvous = start(List.of(others), "rendezvous", "--json", "--address", address);
        assertThat(addressOf(rendezvous)).isEqualTo(address);
        return rendezvous;
    }

    @Test
    void lobby_onTheLocalNetwork_needsNoConfiguration() throws Exception {
        assumeTrue(LocalMulticast.works(), "multicast does not work on this machine");
        String room = "room-" + UUID.randomUUID();
        try (ParleyProcess first = start("chat", room, "--name", "alice");
                ParleyProcess second = start("chat", room, "--name", "bob")) {
            ParleyProcess.Lines alice = first.lines();
            ParleyProcess.Lines bob = second.lines();
            awaitAnnounced(alice, "bob");
            awaitAnnounced(bob, "alice");
            first.type("no configuration");
            bob.await("alice: no configuration"::equals);
            try (ParleyProcess third = start("chat", room, "--name", "carol")) {
                ParleyProcess.Lines carol = third.lines();
                awaitAnnounced(carol, "alice", "bob");
                awaitAnnounced(alice, "carol");
                awaitAnnounced(bob, "carol");
                third.type("none here");
                alice.await("carol: none here"::equals);
                bob.await("carol: none here"::equals);
            }
        }
    }

    @Test
    void senderOfAPipe_findsTheHolderThatWasKilledAndCameBackElsewhere() throws Exception {
        try (ParleyProcess rendezvous = rendezvous()) {
            String address = addressOf(rendezvous);
            String[] holder = {"publish", "--pipe", "weather", "--home", "holder", "--address", HERE};
            try (ParleyProcess sender = start(List.of(address), "shell", "--name", "sender", "--address", HERE)) {
                try (ParleyProcess before = start(List.of(address), holder)) {
                    ParleyProcess.Lines received = before.lines();
                    received.awaitContaining("Indexed by a rendezvous: pipe weather");
                    sender.type("talk weather");
                    sender.type("before");
                    received.await(line -> line.matches("weather <- sender \\(\\w{8}\\): before"));
                    before.kill();
                }
                try (ParleyProcess after = start(List.of(address), holder)) {
                    ParleyProcess.Lines received = after.lines();
                    received.awaitContaining("Indexed by a rendezvous: pipe weather");
                    sender.type("after");
                    received.await(line -> line.matches("weather <- sender \\(\\w{8}\\): after"));
                }
            }
        }
    }

    @Test
    void search_findsPublicationsOfOthers() throws Exception {
        Files.writeString(directory.resolve("class.xml"), """
                <?xml version="1.0"?>
                <!DOCTYPE jxta:MCA>
                <jxta:MCA xmlns:jxta="http://jxta.org">
                  <MCID>urn:jxta:uuid-0123456789ABCDEF0123456789ABCDEF05</MCID>
                  <Name>forecasts</Name>
                  <Desc>What the weather will be</Desc>
                </jxta:MCA>
                """);
        try (ParleyProcess rendezvous = rendezvous()) {
            String address = addressOf(rendezvous);
            try (ParleyProcess publisher =
                    start(List.of(address), "publish", "class.xml", "--pipe", "rain", "--group", "weather", "--json")) {
                ParleyProcess.Lines published = publisher.lines();
                String pipe =
                        field(published.await(line -> line.contains("\"indexed\"") && line.contains("\"rain\"")), "id");
                published.await(line -> line.contains("\"indexed\"") && line.contains("\"forecasts\""));

                assertThat(search(address, "pipes", "ra*", "--group", "weather", "--limit", "1"))
                        .contains("\"kind\":\"pipe\",\"name\":\"rain\",\"id\":\"" + pipe + "\"");
                assertThat(search(address, "jxta:MCA", "forecasts", "--group", "weather"))
                        .contains("\"name\":\"forecasts\"");
                try (ParleyProcess groups = start(List.of(address), "search", "groups", "--json", "--timeout", "60")) {
                    groups.lines().awaitContaining("\"name\":\"weather\"");
                    groups.assertSuccess();
                }
                try (ParleyProcess elsewhere = start(List.of(address), "search", "pipes", "rain", "--json")) {
                    assertThat(elsewhere.readAll().exitCode()).isEqualTo(1);
                    assertThat(elsewhere.output()).isEmpty();
                }
            }
        }
    }

    private String search(String rendezvous, String... what) throws Exception {
        List<String> words = new ArrayList<>(List.of("search", "--json", "--timeout", "60"));
        words.addAll(List.of(what));
        try (ParleyProcess search = start(List.of(rendezvous), words.toArray(String[]::new))) {
            search.readAll().assertSuccess();
            return new String(search.output(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void filesAndBytes_areReceivedByName() throws Exception {
        byte[] content = new byte[300_001];
        new Random(Long.getLong("parley.test.seed", 7)).nextBytes(content);
        Files.write(directory.resolve("photo.bin"), content);
        try (ParleyProcess rendezvous = rendezvous()) {
            String address = addressOf(rendezvous);
            try (ParleyProcess sender =
                            start(List.of(address), "send", "photo.bin", "--as", "photos", "--address", HERE);
                    ParleyProcess receiver = start(List.of(address), "receive", "photos", "--out", "out")) {
                receiver.assertSuccess();
                sender.assertSuccess();
                assertThat(Files.readAllBytes(directory.resolve("out/photo.bin")))
                        .isEqualTo(content);
            }
            try (ParleyProcess listen = start(List.of(address), "listen", "--pipe", "cat", "--address", HERE);
                    ParleyProcess connect = start(List.of(address), "connect", "cat")) {
                ParleyProcess.Lines received = listen.lines();
                ParleyProcess.Lines response = connect.lines();
                connect.type("question");
                received.awaitContaining("question");
                listen.type("response");
                response.awaitContaining("response");
            }
        }
    }

    @Test
    void filesBytesAndRooms_areReachedByTheNameOfAPeer() throws Exception {
        byte[] content = new byte[300_001];
        new Random(Long.getLong("parley.test.seed", 8)).nextBytes(content);
        Files.write(directory.resolve("photo.bin"), content);
        try (ParleyProcess rendezvous = rendezvous()) {
            String address = addressOf(rendezvous);
            // All at the same time, so that three peers have the name and only one serves each command.
            try (ParleyProcess sender =
                            start(List.of(address), "send", "photo.bin", "--name", "anna", "--address", HERE);
                    ParleyProcess listen = start(List.of(address), "listen", "--name", "anna", "--address", HERE);
                    ParleyProcess chat = chatter("anna", "lobby", address)) {
                ParleyProcess.Lines received = listen.lines();
                ParleyProcess.Lines anna = chat.lines();
                try (ParleyProcess receiver = start(List.of(address), "receive", "anna", "--out", "out")) {
                    receiver.assertSuccess();
                    sender.assertSuccess();
                    assertThat(Files.readAllBytes(directory.resolve("out/photo.bin")))
                            .isEqualTo(content);
                }
                try (ParleyProcess connect = start(List.of(address), "connect", "anna")) {
                    connect.type("question");
                    received.awaitContaining("question");
                }
                try (ParleyProcess other =
                        start(List.of(address), "chat", "--with", "anna", "--name", "bob", "--address", HERE)) {
                    ParleyProcess.Lines bob = other.lines();
                    other.errors().await("You are in the room lobby as bob. /quit leaves it."::equals);
                    awaitAnnounced(bob, "anna");
                    awaitAnnounced(anna, "bob");
                    other.type("found you");
                    anna.await("bob: found you"::equals);
                }
            }
        }
    }

    @Test
    void shell_executesCommandsFromAProgram() throws Exception {
        try (ParleyProcess rendezvous = rendezvous()) {
            String address = addressOf(rendezvous);
            try (ParleyProcess anna = start(List.of(address), "shell", "--name", "anna", "--address", HERE);
                    ParleyProcess ben = start(List.of(address), "shell", "--name", "ben", "--address", HERE)) {
                ParleyProcess.Lines annas = anna.lines();
                ParleyProcess.Lines bens = ben.lines();
                anna.type("join \"tea time\"");
                anna.type("publish --pipe kettle");
                annas.awaitContaining("Indexed by a rendezvous: pipe kettle");
                ben.type("join \"tea time\"");
                ben.type("publish --pipe cup");
                bens.awaitContaining("Indexed by a rendezvous: pipe cup");
                ben.type("search pipes ket*");
                bens.await(line -> line.startsWith("pipe kettle  "));
                ben.type("talk kettle \"two  cups\"");
                annas.await(line -> line.matches("kettle <- ben \\(\\w{8}\\): two  cups"));
                ben.type("search peers anna");
                String found = bens.await(line -> line.startsWith("peer anna  "));
                ben.type("talk " + found.split(" +")[2]);
                ben.type("are you there?");
                annas.await(line -> line.matches("ben \\(\\w{8}\\): are you there\\?"));
                ben.type("/end");
                ben.type("talk anna \"by your name\"");
                annas.await(line -> line.matches("ben \\(\\w{8}\\): by your name"));
                ben.type("leave");
                bens.awaitContaining("Left the group tea time.");
                ben.type("no-such-command");
                ben.type("exit");

                assertThat(ben.exitCode())
                        .as("exit code after a failed command")
                        .isEqualTo(1);
                assertThat(ben.errors().toString())
                        .contains("\"help\" lists the commands")
                        .doesNotContain("\tat ");
                anna.input().close();
                anna.assertSuccess();
            }
        }
    }

    @Test
    void shell_onATerminal_storesItsHistoryOnlyInTheHome() throws Exception {
        assertThat(typedIntoShell("--home", "home")).contains("Joined the group tea.");
        assertThat(Files.readString(directory.resolve("home/shell-history"))).contains("join tea", "leave");

        assertThat(typedIntoShell()).contains("Joined the group tea.");
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).containsExactly(directory.resolve("home"));
        }
    }

    /** Returns the output of a shell on a terminal for two commands. The terminal cannot move its cursor. */
    private String typedIntoShell(String... options) throws Exception {
        List<String> words = new ArrayList<>(List.of("shell", "--address", HERE));
        words.addAll(List.of(options));
        try (ParleyProcess shell = ParleyProcess.startWith(
                        directory,
                        List.of("-Dparley.terminal=true", "-Dorg.jline.terminal.provider=dumb"),
                        words.toArray(String[]::new))
                .readAll()) {
            shell.type("join tea");
            shell.type("leave");
            shell.type("exit");
            shell.assertSuccess();
            return new String(shell.output(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void pingAndTalk_useNames() throws Exception {
        try (ParleyProcess rendezvous = rendezvous()) {
            String address = addressOf(rendezvous);
            try (ParleyProcess shell = start(List.of(address), "shell", "--name", "anna", "--address", HERE)) {
                ParleyProcess.Lines anna = shell.lines();
                try (ParleyProcess ping = start(List.of(address), "ping", "-c", "2", "-i", "0", "anna")
                        .readAll()) {
                    ping.assertSuccess();
                    assertThat(new String(ping.output(), StandardCharsets.UTF_8))
                            .contains("anna: number=2 time=", "2 sent, 2 received");
                }
                try (ParleyProcess talk =
                        start(List.of(address), "talk", "--name", "ben", "--address", HERE, "anna", "good", "day")) {
                    talk.assertSuccess();
                }
                anna.await(line -> line.matches("ben \\(\\w{8}\\): good day"));
            }
        }
    }

    @Test
    void status_showsThePeerItsRendezvousAndOthers() throws Exception {
        try (ParleyProcess rendezvous = rendezvous();
                ParleyProcess status = start(
                                List.of(addressOf(rendezvous)), "status", "--name", "me", "--json", "--timeout", "60")
                        .readAll()) {
            status.assertSuccess();
            assertThat(new String(status.output(), StandardCharsets.UTF_8).lines())
                    .last()
                    .asString()
                    .contains("\"name\":\"me\"", "\"found\":1,\"peers\":1,\"connected\":1")
                    .doesNotContain("\"rendezvous\":\"\"");
        }
    }

    @Test
    void rendezvousThatDoesNotRun_isReportedInOneSentence() throws Exception {
        String gone = addressOfOneThatIsGone();
        try (ParleyProcess search = start(List.of(gone), "search", "--timeout", "1")) {
            assertThat(search.exitCode()).isEqualTo(1);
            // The library may log its warning before, which has the cause.
            assertThat(search.errors().toString().lines())
                    .hasSizeBetween(1, 2)
                    .last()
                    .asString()
                    .startsWith("No rendezvous has responded");
        }
        try (ParleyProcess status = start(List.of(gone), "status", "--timeout", "1")) {
            assertThat(status.exitCode()).as("exit code without a rendezvous").isEqualTo(1);
        }
        try (ParleyProcess receive = start(List.of(gone), "receive", "photos", "--timeout", "1")) {
            assertThat(receive.exitCode()).isEqualTo(1);
            assertThat(receive.errors().toString())
                    .contains("No pipe or peer with the name photos", "no rendezvous either");
        }
    }
}
