package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pipes that are connected to by name, through a rendezvous or nearby. */
@Timeout(60)
class PipeBindingTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> peers = new ArrayList<>();

    @AfterEach
    void close() {
        for (int i = peers.size() - 1; i >= 0; i--) {
            peers.get(i).close();
        }
    }

    private PeerBuilder builder(String name) {
        return Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .reconnectTimeout(Duration.ofSeconds(15))
                        .closeTimeout(Duration.ofSeconds(2))
                        .build())
                .listen("mem://" + name);
    }

    private Peer start(PeerBuilder builder) {
        Peer peer = builder.start();
        peers.add(peer);
        return peer;
    }

    private Peer rendezvous() {
        return start(builder("rendezvous").multicast(false).actAsRendezvous());
    }

    private Peer edge(String name) {
        return start(builder(name).multicast(false).rendezvous("mem://rendezvous"));
    }

    private Peer near(String name) {
        return start(builder(name).propagationTransport(network.propagationProvider()));
    }

    private static String next(InputPipe pipe) throws InterruptedException {
        return pipe.receive(PATIENCE).orElseThrow().text("text").orElseThrow();
    }

    private static void send(OutputPipe pipe, String text) throws Exception {
        pipe.send(Message.of("text", text)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void connect_byNameThroughARendezvous_findsTheHolder() throws Exception {
        rendezvous();
        Peer alice = edge("alice");
        Peer bob = edge("bob");
        InputPipe in = Pipes.of(alice).open("forecast");

        try (OutputPipe out = Pipes.of(bob).connect("forecast", PATIENCE)) {
            assertThat(out.holder()).isEqualTo(alice.id());
            send(out, "rain?");
        }

        assertThat(next(in)).isEqualTo("rain?");
    }

    @Test
    void connect_byNameNearby_findsTheHolderWithoutAnyAddress() throws Exception {
        Peer alice = near("alice");
        Peer bob = near("bob");
        InputPipe in = Pipes.of(alice).open("forecast");

        try (OutputPipe out = Pipes.of(bob).connect("forecast", PATIENCE)) {
            send(out, "rain?");
        }

        assertThat(next(in)).isEqualTo("rain?");
    }

    @Test
    void connect_beforeTheHolderIsThere_waitsForIt() throws Exception {
        Peer bob = near("bob");
        CompletableFuture<OutputPipe> connecting =
                Pipes.of(bob).connectAsync(Pipes.of(bob).pipeId("forecast"), PATIENCE);

        InputPipe in = Pipes.of(near("alice")).open("forecast");

        try (OutputPipe out = connecting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            send(out, "at last");
        }
        assertThat(next(in)).isEqualTo("at last");
    }

    @Test
    void connect_nobodyHoldsIt_failsAndSaysSo() {
        Peer bob = near("bob");

        assertThatThrownBy(() -> Pipes.of(bob).connect("nothing", Duration.ofMillis(500)))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE))
                .hasMessageContaining("nobody");
    }

    @Test
    void connect_inAnotherGroup_doesNotFindIt() {
        rendezvous();
        Peer alice = edge("alice");
        Peer bob = edge("bob");
        Pipes.of(alice.group("weather").join()).open("forecast");
        PeerGroup other = bob.group("sports").join();

        assertThatThrownBy(() -> Pipes.of(other)
                        .connect(Pipes.of(alice.group("weather").join()).pipeId("forecast"), Duration.ofMillis(500)))
                .isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> Pipes.of(bob).connect("forecast", Duration.ofMillis(500)))
                .isInstanceOf(ParleyException.class);
    }

    @Test
    void send_afterTheHolderHasMovedWithItsIdentity_goesOn() throws Exception {
        rendezvous();
        Peer bob = edge("bob");
        Identity identity = Identity.generate();
        Peer before =
                start(builder("before").identity(identity).multicast(false).rendezvous("mem://rendezvous"));
        Pipes.of(before).open("forecast");
        try (OutputPipe out = Pipes.of(bob).connect("forecast", PATIENCE)) {
            before.close();

            Peer after =
                    start(builder("after").identity(identity).multicast(false).rendezvous("mem://rendezvous"));
            InputPipe in = Pipes.of(after).open("forecast");
            CompletableFuture<Void> sent = out.send(Message.of("text", "still there?"));

            assertThat(next(in)).isEqualTo("still there?");
            sent.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(out.holder()).isEqualTo(after.id());
        }
    }

    @Test
    void send_afterAnotherPeerHasTakenOver_goesThereInOrder() throws Exception {
        rendezvous();
        Peer alice = edge("alice");
        Peer bob = edge("bob");
        Pipes.of(alice).open("forecast");
        try (OutputPipe out = Pipes.of(bob).connect("forecast", PATIENCE)) {
            alice.close();
            List<CompletableFuture<Void>> sent = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                sent.add(out.send(Message.of("text", "message " + i)));
            }
            Peer carol = edge("carol");
            InputPipe in = Pipes.of(carol).open("forecast");

            for (int i = 0; i < 100; i++) {
                assertThat(next(in)).isEqualTo("message " + i);
            }
            CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new))
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(out.holder()).isEqualTo(carol.id());
        }
    }

    @Test
    void send_moreThanAQueueWhileNobodyIsThere_refusesTheRestAndLosesNothing() throws Exception {
        rendezvous();
        Peer alice = edge("alice");
        Peer bob = start(builder("bob")
                .multicast(false)
                .rendezvous("mem://rendezvous")
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .queueBytes(64 * 1024)
                        .reconnectTimeout(Duration.ofSeconds(15))
                        .build()));
        Pipes.of(alice).open("forecast");
        try (OutputPipe out = Pipes.of(bob).connect("forecast", PATIENCE)) {
            alice.close();
            List<CompletableFuture<Void>> accepted = new ArrayList<>();
            CompletableFuture<Void> last = out.send(numbered(0));
            while (!last.isCompletedExceptionally() && accepted.size() < 1000) {
                accepted.add(last);
                last = out.send(numbered(accepted.size()));
            }
            assertThat(accepted).hasSizeLessThan(1000);
            CompletableFuture<Void> refused = last;
            CompletableFuture<Void> room = out.whenWritable();
            InputPipe in = Pipes.of(edge("carol")).open("forecast");

            for (int i = 0; i < accepted.size(); i++) {
                assertThat(next(in)).isEqualTo("message " + i);
            }
            room.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(out.send(Message.of("text", "again"))).succeedsWithin(PATIENCE);
            assertThat(next(in)).isEqualTo("again");
            assertThat(refused).isCompletedExceptionally();
            assertThat(accepted).allSatisfy(sent -> assertThat(sent).succeedsWithin(PATIENCE));
        }
    }

    private static Message numbered(int number) {
        return Message.builder()
                .add("text", "message " + number)
                .add("filling", new byte[4096])
                .build();
    }

    @Test
    void send_afterTheHolderHasClosedThePipe_findsAnother() throws Exception {
        rendezvous();
        Peer alice = edge("alice");
        Peer bob = edge("bob");
        InputPipe first = Pipes.of(alice).open("forecast");
        try (OutputPipe out = Pipes.of(bob).connect("forecast", PATIENCE)) {
            send(out, "one");
            assertThat(next(first)).isEqualTo("one");
            InputPipe second = Pipes.of(edge("carol")).open("forecast");
            first.close();

            // What is on its way when the pipe closes is lost, so one message may not be enough.
            Optional<PipeMessage> received = Optional.empty();
            while (received.isEmpty()) {
                out.whenWritable().join();
                out.send(Message.of("text", "two"));
                received = second.receive(Duration.ofMillis(200));
            }

            assertThat(received.get().text("text")).contains("two");
        }
    }

    @Test
    void send_whenNobodyTakesOver_failsAndSaysSo() throws Exception {
        rendezvous();
        Peer alice = edge("alice");
        Peer bob = start(builder("bob")
                .multicast(false)
                .rendezvous("mem://rendezvous")
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .reconnectTimeout(Duration.ofMillis(800))
                        .build()));
        Pipes.of(alice).open("forecast");
        try (OutputPipe out = Pipes.of(bob).connect("forecast", PATIENCE)) {
            alice.close();

            assertThat(out.send(Message.of("text", "anybody?")))
                    .failsWithin(PATIENCE)
                    .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                    .havingCause()
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
        }
    }

    @Test
    void close_whileNobodyIsThere_failsWhatWaitsAndEnds() throws Exception {
        Peer alice = near("alice");
        Peer bob = near("bob");
        Pipes.of(alice).open("forecast");
        OutputPipe out = Pipes.of(bob).connect("forecast", PATIENCE);
        alice.close();
        CompletableFuture<Void> sent = out.send(Message.of("text", "lost"));

        out.close();

        assertThat(out.isClosing()).isTrue();
        assertThat(sent).failsWithin(PATIENCE);
        assertThat(out.send(Message.of("text", "late"))).isCompletedExceptionally();
    }
}
