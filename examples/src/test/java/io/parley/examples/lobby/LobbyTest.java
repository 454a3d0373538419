package io.parley.examples.lobby;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.parley.Peer;
import io.parley.examples.MemoryNet;
import io.parley.examples.chat.ChatLine;
import io.parley.examples.chat.ChatScreen;
import io.parley.examples.demo.DemoChatParticipant;
import io.parley.group.PeerGroup;
import io.parley.message.Message;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.Pipes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LobbyTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final MemoryNet network = new MemoryNet();
    private final List<Guest> guests = new ArrayList<>();

    @AfterEach
    void close() {
        guests.forEach(Guest::leave);
        network.close();
    }

    /** Somebody in a room. */
    private static final class Guest implements ChatScreen {
        private static final String END = "";

        private final Peer peer;
        private final Lobby lobby;
        private final CompletableFuture<Void> run;
        private final BlockingQueue<String> typed = new LinkedBlockingQueue<>();
        private final List<String> shown = new CopyOnWriteArrayList<>();

        Guest(Peer peer, String room, String name) {
            this.peer = peer;
            this.lobby = new Lobby(peer.group(Lobby.GROUP).join(), room, name, this);
            this.run = CompletableFuture.runAsync(() -> lobby.run(new CompletableFuture<>()));
        }

        @Override
        public void show(ChatLine line) {
            shown.add(line.toString());
        }

        @Override
        public @Nullable String read() {
            try {
                String line = typed.take();
                return line.equals(END) ? null : line;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        void say(String line) {
            typed.add(line);
        }

        void leave() {
            typed.add(END);
            assertThat(run).succeedsWithin(PATIENCE);
            lobby.close();
        }

        void awaitLine(String pattern) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(shown).anyMatch(line -> line.matches(pattern)));
        }

        @Override
        public void close() {}
    }

    private Guest enter(String peer, String room, String name) {
        Guest guest = new Guest(network.start(peer), room, name);
        guests.add(guest);
        return guest;
    }

    @Test
    void lineAndFarewell_reachEverybodyInTheRoomAndNobodyElse() {
        Guest alice = enter("one", "lobby", "alice");
        Guest bob = enter("two", "lobby", "bob");
        Guest eve = enter("three", "cellar", "eve");
        alice.awaitLine("\\* bob is here \\(\\w{8}\\)");
        bob.awaitLine("\\* alice is here \\(\\w{8}\\)");

        alice.say("hello");
        bob.awaitLine("alice: hello");
        guests.remove(bob);
        bob.leave();

        alice.awaitLine("\\* bob has left");
        assertThat(alice.shown).as("nobody hears his own lines").doesNotContain("alice: hello");
        assertThat(eve.shown).isEmpty();
    }

    @Test
    void whoIsSaidToBeHere_hearsWhatIsSaidFromThenOn() {
        int others = 7;
        List<DemoChatParticipant> meetings = new ArrayList<>();
        List<CompletableFuture<Void>> leaving = new ArrayList<>();
        for (int i = 0; i <= others; i++) {
            String name = "peer-" + i;
            PeerGroup group = network.start(name).group(Lobby.GROUP).join();
            DemoChatParticipant meeting = new DemoChatParticipant(others);
            meetings.add(meeting);
            leaving.add(CompletableFuture.runAsync(
                    () -> {
                        try (Lobby lobby = new Lobby(group, "lobby", name, meeting)) {
                            lobby.run(new CompletableFuture<>());
                        }
                    },
                    task -> new Thread(task, name).start()));
        }

        assertThat(leaving).allSatisfy(left -> assertThat(left).succeedsWithin(PATIENCE));
        assertThat(meetings)
                .allSatisfy(meeting -> assertThat(meeting.toJson().toString()).contains("\"heard\":7,"));
    }

    @Test
    void twoOfOneName_areToldApart() {
        Guest first = enter("one", "lobby", "alice");
        Guest second = enter("two", "lobby", "alice");

        first.awaitLine("\\* alice-2 is here .*");
        second.awaitLine("\\* alice-2 is here .*");
        first.say("hello");
        second.awaitLine("alice-2: hello");
    }

    @Test
    void whoLeavesAndComesBack_isHereAgain() {
        Guest alice = enter("one", "lobby", "alice");
        Guest bob = enter("two", "lobby", "bob");
        alice.awaitLine("\\* bob is here .*");
        guests.remove(bob);
        bob.leave();
        alice.awaitLine("\\* bob has left");

        Guest again = new Guest(bob.peer, "lobby", "robert");
        guests.add(again);

        alice.awaitLine("\\* robert is here .*");
        again.awaitLine("\\* alice is here .*");
        alice.say("welcome back");
        again.awaitLine("alice: welcome back");
    }

    @Test
    void strangeMessages_changeNothing() throws InterruptedException {
        Guest alice = enter("one", "lobby", "alice");
        PeerGroup group = network.start("two").group(Lobby.GROUP).join();
        try (OutputPipe pipe = Pipes.of(group).connect("lobby", PATIENCE)) {
            pipe.send(Message.EMPTY).join();
            pipe.send(Message.of("kind", "NO_SUCH_KIND")).join();
            pipe.send(RoomMessage.of(RoomMessage.Kind.BYE, "mallory").toMessage())
                    .join();
            pipe.send(RoomMessage.line(new ChatLine("\u001b[2Jbob", "over")).toMessage())
                    .join();

            // There is no pipe to answer on.
            alice.awaitLine("\\* \\[2Jbob has left");
            assertThat(alice.shown).hasSize(3).element(0).asString().startsWith("* [2Jbob is here (");
            assertThat(alice.shown).element(1).isEqualTo("[2Jbob: over");
        }
    }
}
