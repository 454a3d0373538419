package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes in a chat room. */
@Tag("process")
@Timeout(180)
class RoomProcessTest {

    @TempDir
    private static Path shared;

    private static RendezvousFixture rendezvous;

    @TempDir
    private Path directory;

    @BeforeAll
    static void startRendezvous() throws Exception {
        rendezvous = RendezvousFixture.start(shared);
    }

    @AfterAll
    static void stopRendezvous() {
        rendezvous.close();
    }

    private ParleyProcess chatter(String name, String room, String... rendezvous) throws IOException {
        return ParleyProcess.startWithRendezvous(
                directory, List.of(rendezvous), "chat", room, "--name", name, "--address", ParleyProcess.ANY_PORT);
    }

    private static void awaitAnnounced(ParleyProcess.Lines lines, String... names) throws InterruptedException {
        for (String name : names) {
            lines.await(line -> line.startsWith("* " + name + " is here ("));
        }
    }

    @Test
    void lobby_participantsOfARoom_findEachOtherAlsoLater() throws Exception {
        String address = rendezvous.address();
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

    @Test
    void lobby_goesOnWhenTheRendezvousInUseIsKilled_andThenTheOtherToo() throws Exception {
        String second = ParleyProcess.freeAddress();
        try (RendezvousFixture one = RendezvousFixture.startAt(directory, ParleyProcess.freeAddress(), List.of())) {
            String first = one.address();
            try (ParleyProcess a = chatter("alice", "lobby", first, second);
                    ParleyProcess b = chatter("bob", "lobby", first, second)) {
                ParleyProcess.Lines alice = a.lines();
                ParleyProcess.Lines bob = b.lines();
                awaitAnnounced(alice, "bob");
                awaitAnnounced(bob, "alice");
                try (RendezvousFixture two = RendezvousFixture.startAt(directory, second, List.of(first))) {
                    one.close(); // both participants use it, because it was the only one when they joined

                    a.type("still there?");
                    bob.await("alice: still there?"::equals);
                    try (ParleyProcess c = chatter("carol", "lobby", first, second)) {
                        awaitAnnounced(c.lines(), "alice", "bob");
                        awaitAnnounced(alice, "carol");
                        c.type("me too");
                        alice.await("carol: me too"::equals);
                        bob.await("carol: me too"::equals);
                    }
                    two.close();
                }

                b.type("no rendezvous left");
                alice.await("bob: no rendezvous left"::equals);
                // Only the participants themselves can have informed this rendezvous.
                try (RendezvousFixture again = RendezvousFixture.startAt(directory, first, List.of());
                        ParleyProcess d = chatter("dave", "lobby", again.address(), second)) {
                    awaitAnnounced(d.lines(), "alice", "bob");
                    d.type("hello");
                    alice.await("dave: hello"::equals);
                    bob.await("dave: hello"::equals);
                }
                assertThat(alice.toString()).doesNotContain("bob has left");
            }
        }
    }

    @Test
    void lobby_onTheLocalNetwork_needsNoConfiguration() throws Exception {
        assumeTrue(LocalMulticast.works(), "multicast does not work on this machine");
        String room = "room-" + UUID.randomUUID();
        try (ParleyProcess first = ParleyProcess.start(directory, "chat", room, "--name", "alice");
                ParleyProcess second = ParleyProcess.start(directory, "chat", room, "--name", "bob")) {
            ParleyProcess.Lines alice = first.lines();
            ParleyProcess.Lines bob = second.lines();
            awaitAnnounced(alice, "bob");
            awaitAnnounced(bob, "alice");
            first.type("no configuration");
            bob.await("alice: no configuration"::equals);
            try (ParleyProcess third = ParleyProcess.start(directory, "chat", room, "--name", "carol")) {
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
    void chatByTicket_forwardsLinesToAllAndEndsWithTheHost() throws Exception {
        try (ParleyProcess host = ParleyProcess.start(
                directory, "chat", "--home", "host", "--address", ParleyProcess.ANY_PORT, "--name", "alice")) {
            ParleyProcess.Lines alice = host.lines();
            String ticket = ParleyProcess.ticket(alice);
            try (ParleyProcess first = ParleyProcess.start(directory, "chat", ticket, "--name", "bob")) {
                ParleyProcess.Lines bob = first.lines();
                bob.await(line -> line.matches("\\* alice \\(\\w{8}\\) hosts this room"));
                alice.await(line -> line.startsWith("* bob is here"));
                try (ParleyProcess second = ParleyProcess.start(directory, "chat", ticket, "--name", "bob")) {
                    ParleyProcess.Lines other = second.lines();
                    alice.await(line -> line.startsWith("* bob-2 is here"));
                    bob.await(line -> line.startsWith("* bob-2 is here"));
                    other.await(line -> line.startsWith("* bob is here"));

                    host.type("hello \u00fc");
                    bob.await("alice: hello \u00fc"::equals);
                    other.await("alice: hello \u00fc"::equals);
                    first.type("one");
                    second.type("two\u001b[2J");
                    alice.await("bob: one"::equals);
                    alice.await("bob-2: two [2J"::equals);
                    other.await("bob: one"::equals);
                    bob.await("bob-2: two [2J"::equals);

                    first.type("/quit");
                    first.assertSuccess();
                    alice.await("* bob has left"::equals);
                    other.await("* bob has left"::equals);

                    host.input().close();
                    other.await("* alice has ended the chat"::equals);
                    second.assertSuccess();
                    host.assertSuccess();
                }
            }
        }
    }
}
