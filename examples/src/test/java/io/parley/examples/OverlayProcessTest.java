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

/** Real processes that find each other by name. */
@Timeout(180)
class OverlayProcessTest {

    private static final String HERE = "tcp://127.0.0.1:0";

    @TempDir
    private Path directory;

    private ParleyProcess start(String... arguments) throws IOException {
        return ParleyProcess.start(directory, arguments);
    }

    /** A process that knows these rendezvous and no other way to anybody. */
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

    private static void awaitHere(ParleyProcess.Lines lines, String... names) throws InterruptedException {
        for (String name : names) {
            lines.await(line -> line.startsWith("* " + name + " is here ("));
        }
    }

    @Test
    void lobby_bringsTogetherWhoKnowsTheRoomsName_alsoTheOneThatComesLater() throws Exception {
        try (ParleyProcess rendezvous = rendezvous()) {
            String address = addressOf(rendezvous);
            try (ParleyProcess first = chatter("alice", "lobby", address);
                    ParleyProcess second = chatter("bob", "lobby", address);
                    ParleyProcess elsewhere = chatter("eve", "cellar", address)) {
                ParleyProcess.Lines alice = first.lines();
                ParleyProcess.Lines bob = second.lines();
                ParleyProcess.Lines eve = elsewhere.lines();
                awaitHere(alice, "bob");
                awaitHere(bob, "alice");
                try (ParleyProcess third = chatter("carol", "lobby", address)) {
                    ParleyProcess.Lines carol = third.lines();
                    awaitHere(carol, "alice", "bob");
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
                awaitHere(alice, "bob");
                awaitHere(bob, "alice");
                try (ParleyProcess two = rendezvousAt(second, first)) {
                    one.kill(); // which both use, as there was no other when they met

                    a.type("still there?");
                    bob.await("alice: still there?"::equals);
                    try (ParleyProcess c = chatter("carol", "lobby", first, second)) {
                        awaitHere(c.lines(), "alice", "bob");
                        awaitHere(alice, "carol");
                        c.type("me too");
                        alice.await("carol: me too"::equals);
                        bob.await("carol: me too"::equals);
                    }
                    two.kill();
                }

                b.type("nobody left?");
                alice.await("bob: nobody left?"::equals);
                // Nobody can have told this one of them but they themselves.
                try (ParleyProcess again = rendezvousAt(first);
                        ParleyProcess d = chatter("dave", "lobby", first, second)) {
                    awaitHere(d.lines(), "alice", "bob");
                    d.type("hello");
                    alice.await("dave: hello"::equals);
                    bob.await("dave: hello"::equals);
                }
                assertThat(alice.toString()).doesNotContain("bob has left");
            }
        }
    }

    /** Where a rendezvous can run later. */
    private String addressOfOneThatIsGone() throws Exception {
        try (ParleyProcess gone = rendezvous()) {
            return addressOf(gone);
        }
    }

    /** A rendezvous at an address that others know already; it runs when this returns. */
    private ParleyProcess rendezvousAt(String address, String... others) throws Exception {
        ParleyProcess rendezvous = start(List.of(others), "rendezvous", "--json", "--address", address);
        assertThat(addressOf(rendezvous)).isEqualTo(address);
        return rendezvous;
    }

    @Test
    void lobby_meetsOnTheLocalNetworkWithNothingConfigured() throws Exception {
        assumeTrue(LocalMulticast.works(), "multicast does not work on this machine");
        String room = "room-" + UUID.randomUUID();
        try (ParleyProcess first = start("chat", room, "--name", "alice");
                ParleyProcess second = start("chat", room, "--name", "bob")) {
            ParleyProcess.Lines alice = first.lines();
            ParleyProcess.Lines bob = second.lines();
            awaitHere(alice, "bob");
            awaitHere(bob, "alice");
            first.type("nobody told us");
            bob.await("alice: nobody told us"::equals);
            try (ParleyProcess third = start("chat", room, "--name", "carol")) {
                ParleyProcess.Lines carol = third.lines();
                awaitHere(carol, "alice", "bob");
                awaitHere(alice, "carol");
                awaitHere(bob, "carol");
                third.type("nor me");
                alice.await("carol: nor me"::equals);
                bob.await("carol: nor me"::equals);
            }
        }
    }

    @Test
    void senderOfAPipe_findsTheHolderThatWasKilledAndCameBackElsewhere() throws Exception {
        try (ParleyProcess rendezvous = rendezvous()) {
            String address = addressOf(rendezvous);
            String[] holder = {"publish", "--pipe", "weather", "--home", "holder", "--address", HERE};
            try (ParleyProcess sender = start(List.of(address), "shell", "--address", HERE)) {
                try (ParleyProcess before = start(List.of(address), holder)) {
                    ParleyProcess.Lines heard = before.lines();
                    heard.awaitContaining("A rendezvous has it: pipe weather");
                    sender.type("talk weather");
                    sender.type("before");
                    heard.await(line -> line.matches("weather <- \\w+: before"));
                    before.kill();
                }
                try (ParleyProcess after = start(List.of(address), holder)) {
                    ParleyProcess.Lines heard = after.lines();
                    heard.awaitContaining("A rendezvous has it: pipe weather");
                    sender.type("after");
                    heard.await(line -> line.matches("weather <- \\w+: after"));
                }
            }
        }
    }

    @Test
    void discover_findsWhatOthersPublishAndNothingElse() throws Exception {
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

                assertThat(discovered(address, "pipes", "ra*", "--group", "weather", "--limit", "1"))
                        .contains("\"kind\":\"pipe\",\"name\":\"rain\",\"id\":\"" + pipe + "\"");
                assertThat(discovered(address, "jxta:MCA", "forecasts", "--group", "weather"))
                        .contains("\"name\":\"forecasts\"");
                try (ParleyProcess groups = start(List.of(address), "groups", "--json", "--timeout", "60")) {
                    groups.lines().awaitContaining("\"name\":\"weather\"");
                    groups.assertSuccess();
                }
                try (ParleyProcess elsewhere = start(List.of(address), "discover", "pipes", "rain", "--json")) {
                    assertThat(elsewhere.readAll().exitCode()).isEqualTo(1);
                    assertThat(elsewhere.output()).isEmpty();
                }
            }
        }
    }

    private String discovered(String rendezvous, String... what) throws Exception {
        List<String> words = new ArrayList<>(List.of("discover", "--json", "--timeout", "60"));
        words.addAll(List.of(what));
        try (ParleyProcess discover = start(List.of(rendezvous), words.toArray(String[]::new))) {
            discover.readAll().assertSuccess();
            return new String(discover.output(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void filesAndBytes_goToWhoKnowsTheName() throws Exception {
        byte[] content = new byte[300_001];
        new Random(7).nextBytes(content);
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
                ParleyProcess.Lines heard = listen.lines();
                ParleyProcess.Lines answered = connect.lines();
                connect.type("question");
                heard.awaitContaining("question");
                listen.type("answer");
                answered.awaitContaining("answer");
            }
        }
    }

    @Test
    void filesBytesAndRooms_areReachedByTheNameOfAPeer() throws Exception {
        byte[] content = new byte[300_001];
        new Random(8).nextBytes(content);
        Files.write(directory.resolve("photo.bin"), content);
        try (ParleyProcess rendezvous = rendezvous()) {
            String address = addressOf(rendezvous);
            // All at once, so that the one that is meant has to be told from the others of that name.
            try (ParleyProcess sender =
                            start(List.of(address), "send", "photo.bin", "--name", "anna", "--address", HERE);
                    ParleyProcess listen = start(List.of(address), "listen", "--name", "anna", "--address", HERE);
                    ParleyProcess chat = chatter("anna", "lobby", address)) {
                ParleyProcess.Lines heard = listen.lines();
                ParleyProcess.Lines anna = chat.lines();
                try (ParleyProcess receiver = start(List.of(address), "receive", "anna", "--out", "out")) {
                    receiver.assertSuccess();
                    sender.assertSuccess();
                    assertThat(Files.readAllBytes(directory.resolve("out/photo.bin")))
                            .isEqualTo(content);
                }
                try (ParleyProcess connect = start(List.of(address), "connect", "anna")) {
                    connect.type("question");
                    heard.awaitContaining("question");
                }
                try (ParleyProcess other =
                        start(List.of(address), "chat", "--with", "anna", "--name", "bob", "--address", HERE)) {
                    ParleyProcess.Lines bob = other.lines();
                    other.errors().await("You are in the room lobby. /quit leaves it."::equals);
                    awaitHere(bob, "anna");
                    awaitHere(anna, "bob");
                    other.type("found you");
                    anna.await("bob: found you"::equals);
                }
            }
        }
    }

    @Test
    void shell_obeysCommandsFromAProgram() throws Exception {
        try (ParleyProcess rendezvous = rendezvous()) {
            String address = addressOf(rendezvous);
            try (ParleyProcess anna = start(List.of(address), "shell", "--name", "anna", "--address", HERE);
                    ParleyProcess ben = start(List.of(address), "shell", "--name", "ben", "--address", HERE)) {
                ParleyProcess.Lines annas = anna.lines();
                ParleyProcess.Lines bens = ben.lines();
                anna.type("join \"tea time\"");
                anna.type("publish kettle");
                annas.awaitContaining("A rendezvous has it: pipe kettle");
                ben.type("join \"tea time\"");
                ben.type("publish cup");
                bens.awaitContaining("A rendezvous has it: pipe cup");
                ben.type("pipes ket*");
                bens.await(line -> line.startsWith("pipe kettle  "));
                ben.type("talk kettle \"two  cups\"");
                annas.await(line -> line.matches("kettle <- \\w+: two  cups"));
                ben.type("peers anna");
                String found = bens.await(line -> line.startsWith("peer anna  "));
                ben.type("talk " + found.split(" +")[2]);
                ben.type("are you there?");
                annas.await(line -> line.matches("\\w+ says: are you there\\?"));
                ben.type("/end");
                ben.type("talk anna \"by your name\"");
                annas.await(line -> line.matches("\\w+ says: by your name"));
                ben.type("leave");
                bens.awaitContaining("You have left the group tea time.");
                ben.type("no-such-command");
                ben.type("exit");

                assertThat(ben.exitCode())
                        .as("the exit code tells of the command that failed")
                        .isEqualTo(1);
                assertThat(ben.errors().toString())
                        .contains("\"help\" lists them")
                        .doesNotContain("\tat ");
                anna.input().close();
                anna.assertSuccess();
            }
        }
    }

    @Test
    void shell_onATerminal_keepsItsHistoryAtHomeAlone() throws Exception {
        assertThat(typedIntoShell("--home", "home")).contains("You are in the group tea.");
        assertThat(Files.readString(directory.resolve("home/shell-history"))).contains("join tea", "leave");

        assertThat(typedIntoShell()).contains("You are in the group tea.");
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).containsExactly(directory.resolve("home"));
        }
    }

    /** What a shell on a terminal shows for two commands; the standard input poses as one that can't move its cursor. */
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
    void rendezvousThatIsNotThere_isSaidInOneSentence() throws Exception {
        String gone = addressOfOneThatIsGone();
        try (ParleyProcess discover = start(List.of(gone), "discover", "--timeout", "1")) {
            assertThat(discover.exitCode()).isEqualTo(1);
            assertThat(discover.errors().toString().lines()).hasSize(1);
            assertThat(discover.errors().toString()).contains("No rendezvous has answered");
        }
        try (ParleyProcess receive = start(List.of(gone), "receive", "photos", "--timeout", "1")) {
            assertThat(receive.exitCode()).isEqualTo(1);
            assertThat(receive.errors().toString()).contains("Nobody who goes by the name photos");
        }
    }
}
