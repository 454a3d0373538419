package io.parley.examples.lobby;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.MemoryNet;
import io.parley.examples.chat.ChatLine;
import io.parley.examples.chat.ChatScreen;
import io.parley.examples.conversation.ConversationServer;
import io.parley.examples.demo.DemoChatParticipant;
import io.parley.group.PeerGroup;
import io.parley.message.Message;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.Pipes;
import io.parley.testkit.Eventually;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LobbyTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final MemoryNet network = new MemoryNet();
    private final List<TestParticipant> participants = new ArrayList<>();

    @AfterEach
    void close() {
        participants.forEach(TestParticipant::leave);
        network.close();
    }

    /** A participant of a room that is controlled by the test. */
    private static final class TestParticipant implements ChatScreen {
        private static final String END = "";

        private final Peer peer;
        private final Lobby lobby;
        private final CompletableFuture<Void> run;
        private final BlockingQueue<String> typed = new LinkedBlockingQueue<>();
        private final List<String> shown = new CopyOnWriteArrayList<>();

        TestParticipant(Peer peer, String room, String name) {
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

        void type(String line) {
            typed.add(line);
        }

        void leave() {
            typed.add(END);
            assertThat(run).succeedsWithin(TIMEOUT);
            lobby.close();
        }

        void awaitLine(String pattern) {
            await().atMost(TIMEOUT).untilAsserted(() -> assertThat(shown).anyMatch(line -> line.matches(pattern)));
        }

        @Override
        public void close() {}
    }

    private TestParticipant enter(String peer, String room, String name) {
        TestParticipant guest = new TestParticipant(network.start(peer), room, name);
        participants.add(guest);
        return guest;
    }

    @Test
    void lineAndBye_reachTheOtherParticipantsOfTheRoomOnly() {
        TestParticipant alice = enter("one", "lobby", "alice");
        TestParticipant bob = enter("two", "lobby", "bob");
        TestParticipant eve = enter("three", "cellar", "eve");
        TestParticipant mallory = enter("four", "cellar", "mallory");
        alice.awaitLine("\\* bob is here \\(\\w{8}\\)");
        bob.awaitLine("\\* alice is here \\(\\w{8}\\)");
        eve.awaitLine("\\* mallory is here \\(\\w{8}\\)");
        mallory.awaitLine("\\* eve is here \\(\\w{8}\\)");

        alice.type("hello");
        bob.awaitLine("alice: hello");
        mallory.type("dark here");
        eve.awaitLine("mallory: dark here");
        participants.remove(bob);
        bob.leave();
        alice.awaitLine("\\* bob has left");
        participants.remove(mallory);
        mallory.leave();
        eve.awaitLine("\\* mallory has left");

        assertThat(alice.shown)
                .as("lines of the other participant of the room, without a participant for itself")
                .hasSize(2)
                .allMatch(line -> line.startsWith("* bob "));
        assertThat(eve.shown)
                .as("lines of its own room")
                .hasSize(3)
                .allMatch(line -> line.startsWith("* mallory ") || line.equals("mallory: dark here"));
    }

    @Test
    void announcedParticipant_receivesAllLaterLines() {
        int others = 7;
        List<RecordingScreen> screens = new ArrayList<>();
        List<CompletableFuture<Void>> leaving = new ArrayList<>();
        for (int i = 0; i <= others; i++) {
            String name = "peer-" + i;
            PeerGroup group = network.start(name).group(Lobby.GROUP).join();
            RecordingScreen screen = new RecordingScreen(new DemoChatParticipant(others));
            screens.add(screen);
            leaving.add(CompletableFuture.runAsync(
                    () -> {
                        try (Lobby lobby = new Lobby(group, "lobby", name, screen)) {
                            lobby.run(new CompletableFuture<>());
                        }
                    },
                    task -> new Thread(task, name).start()));
        }

        assertThat(leaving).allSatisfy(left -> assertThat(left).succeedsWithin(TIMEOUT));
        for (int i = 0; i <= others; i++) {
            String self = "peer-" + i;
            assertThat(screens.get(i).speakers())
                    .as("names of the received lines, one for each other participant")
                    .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(0, others)
                            .mapToObj(other -> "peer-" + other)
                            .filter(other -> !other.equals(self))
                            .toList());
        }
    }

    /** Records the lines of another screen. */
    private static final class RecordingScreen implements ChatScreen {
        private final ChatScreen screen;
        private final List<ChatLine> lines = new CopyOnWriteArrayList<>();

        RecordingScreen(ChatScreen screen) {
            this.screen = screen;
        }

        @Override
        public void show(ChatLine line) {
            lines.add(line);
            screen.show(line);
        }

        @Override
        public @Nullable String read() throws IOException {
            return screen.read();
        }

        List<String> speakers() {
            return lines.stream()
                    .map(ChatLine::name)
                    .filter(name -> !name.isEmpty())
                    .toList();
        }

        @Override
        public void close() {}
    }

    @Test
    void twoParticipantsWithOneName_getDifferentNames() {
        TestParticipant first = enter("one", "lobby", "alice");
        TestParticipant second = enter("two", "lobby", "alice");

        first.awaitLine("\\* alice-2 is here .*");
        second.awaitLine("\\* alice-2 is here .*");
        first.type("hello");
        second.awaitLine("alice-2: hello");
    }

    @Test
    void twoParticipantsWithOneLongName_getDifferentNames() {
        String name = "a".repeat(32);
        TestParticipant first = enter("one", "lobby", name);
        TestParticipant second = enter("two", "lobby", name);

        String other = "a".repeat(30) + "-2";
        first.awaitLine("\\* " + other + " is here .*");
        second.awaitLine("\\* " + other + " is here .*");
        first.type("hello");
        second.awaitLine(other + ": hello");
    }

    /** Accepts, and does not say in which room it is. */
    @Test
    void roomOfAPeerThatSaysNothing_isNotFound() throws Exception {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Peer mute = network.start("mute");
        Peer guest = network.start("guest");
        PeerGroup group = guest.group(Lobby.GROUP).join();
        try (ConversationServer server = new ConversationServer(
                mute, mute.group(Lobby.GROUP).join(), null, RoomPresence.TOPIC, 16, (other, hello) -> end.join())) {
            // Repeated, because the time can be over before the peer is found.
            await().atMost(TIMEOUT)
                    .untilAsserted(() -> assertThatThrownBy(
                                    () -> RoomPresence.find(guest, group, "mute", Duration.ofSeconds(2)))
                            .isInstanceOfSatisfying(
                                    ParleyException.class,
                                    e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT)));
        } finally {
            end.complete(null);
        }
    }

    @Test
    void participantThatReturns_isAnnouncedAgain() {
        TestParticipant alice = enter("one", "lobby", "alice");
        TestParticipant bob = enter("two", "lobby", "bob");
        alice.awaitLine("\\* bob is here .*");
        participants.remove(bob);
        bob.leave();
        alice.awaitLine("\\* bob has left");

        TestParticipant again = new TestParticipant(bob.peer, "lobby", "robert");
        participants.add(again);

        alice.awaitLine("\\* robert is here .*");
        again.awaitLine("\\* alice is here .*");
        alice.type("welcome back");
        again.awaitLine("alice: welcome back");
    }

    @Test
    void invalidMessages_areIgnored() {
        TestParticipant alice = enter("one", "lobby", "alice");
        PeerGroup group = network.start("two").group(Lobby.GROUP).join();
        try (OutputPipe pipe = Eventually.get(Pipes.of(group).connectAsync("lobby", TIMEOUT), "the connection")) {
            pipe.send(Message.EMPTY).join();
            pipe.send(Message.of("kind", "NO_SUCH_KIND")).join();
            pipe.send(RoomMessage.of(RoomMessage.Kind.BYE, "mallory").toMessage())
                    .join();
            pipe.send(RoomMessage.line(new ChatLine("\u001b[2Jbob", "over")).toMessage())
                    .join();

            // The sender holds no pipe of the room, so the connect back fails.
            alice.awaitLine("\\* \\[2Jbob has left");
            assertThat(alice.shown).hasSize(3).element(0).asString().startsWith("* [2Jbob is here (");
            assertThat(alice.shown).element(1).isEqualTo("[2Jbob: over");
        }
    }
}
