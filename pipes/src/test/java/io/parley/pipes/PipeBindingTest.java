package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pipes that are connected by name, through a rendezvous or on the local network. */
@Timeout(180)
class PipeBindingTest {

    private static final Duration TIMEOUT = Eventually.DEADLINE;

    private static final SearchOptions ALL = new SearchOptions(TIMEOUT, 1, SearchOptions.Scope.LOCAL_AND_REMOTE);

    private final PipePeers peers = new PipePeers(Duration.ofMillis(500));

    @AfterEach
    void close() {
        peers.close();
    }

    private static String next(InputPipe pipe) throws InterruptedException {
        return pipe.receive(TIMEOUT).orElseThrow().text("text").orElseThrow();
    }

    private static void send(OutputPipe pipe, String text) throws Exception {
        Eventually.get(pipe.send(Message.of("text", text)), "sending");
    }

    /** Closes the holder. A message that is sent before the sender has noticed is lost. */
    private static void close(Peer holder, Peer sender) {
        holder.close();
        Eventually.until(
                () -> "the sender is still connected to the holder",
                () -> !sender.endpoint().isConnected(holder.id()));
    }

    @Test
    void connect_byNameThroughARendezvous_findsTheHolder() throws Exception {
        peers.rendezvous();
        Peer alice = peers.edge("alice");
        Peer bob = peers.edge("bob");
        InputPipe in = Pipes.of(alice).open("forecast");

        try (OutputPipe out = Pipes.of(bob).connect("forecast", TIMEOUT)) {
            assertThat(out.holder()).isEqualTo(alice.id());
            send(out, "rain?");
        }

        assertThat(next(in)).isEqualTo("rain?");
    }

    @Test
    void connect_byNameOnTheLocalNetwork_findsTheHolder() throws Exception {
        Peer alice = peers.near("alice");
        Peer bob = peers.near("bob");
        InputPipe in = Pipes.of(alice).open("forecast");

        try (OutputPipe out = Pipes.of(bob).connect("forecast", TIMEOUT)) {
            send(out, "rain?");
        }

        assertThat(next(in)).isEqualTo("rain?");
    }

    @Test
    void connect_beforeTheHolderStarts_waitsForIt() throws Exception {
        Peer bob = peers.near("bob");
        CompletableFuture<OutputPipe> connecting =
                Pipes.of(bob).connectAsync(Pipes.of(bob).pipeId("forecast"), TIMEOUT);

        InputPipe in = Pipes.of(peers.near("alice")).open("forecast");

        try (OutputPipe out = Eventually.get(connecting, "connecting")) {
            send(out, "at last");
        }
        assertThat(next(in)).isEqualTo("at last");
    }

    /** User callbacks that wait for the peer's own work do not stop it: each has threads of its own. */
    @Test
    void listeners_thatAllWaitForAConnect_doNotStopDiscovery() throws Exception {
        peers.rendezvous();
        Peer alice = peers.edge("alice");
        Peer bob = peers.edge("bob");
        int callbackThreads = Math.max(8, 4 * Runtime.getRuntime().availableProcessors());
        int listeners = 2 * callbackThreads;
        CountDownLatch inListener = new CountDownLatch(callbackThreads);
        CountDownLatch served = new CountDownLatch(listeners);
        for (int i = 0; i < listeners; i++) {
            Pipes.of(alice).listen("question " + i, received -> {
                inListener.countDown();
                try (OutputPipe out = Pipes.of(alice).connect("late", TIMEOUT)) {
                    out.send(received.message()).join();
                    served.countDown();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        for (int i = 0; i < listeners; i++) {
            send(Pipes.of(bob).connect("question " + i, TIMEOUT), "rain?");
        }
        Eventually.latch(inListener, "all callback threads of alice");

        Pipes.of(alice).open("early"); // found while all callback threads of alice are blocked
        assertThat(Pipes.of(bob).connectAsync("early", TIMEOUT)).succeedsWithin(TIMEOUT);
        assertThat(alice.netGroup()
                        .discovery()
                        .find(DiscoveryQuery.of(PeerAdvertisement.TYPE_NAME).with("Name", "bob"), ALL))
                .succeedsWithin(TIMEOUT)
                .satisfies(found -> assertThat(found).isNotEmpty());
        InputPipe late = Pipes.of(bob).open("late");

        for (int i = 0; i < listeners; i++) {
            assertThat(next(late)).isEqualTo("rain?");
        }
        Eventually.latch(served, "all listeners");
    }

    @Test
    void connect_inAnotherGroup_doesNotFindIt() {
        peers.rendezvous();
        Peer alice = peers.edge("alice");
        Peer bob = peers.edge("bob");
        Pipes.of(alice.group("weather").join()).open("forecast");
        PeerGroup other = bob.group("sports").join();

        Duration little = Duration.ofMillis(500);
        PipeId id = Pipes.of(alice.group("weather").join()).pipeId("forecast");
        for (CompletableFuture<OutputPipe> connecting :
                List.of(Pipes.of(other).connectAsync(id, little), Pipes.of(bob).connectAsync("forecast", little))) {
            assertThat(ParleyException.unwrap(Eventually.failure(connecting, "connecting")))
                    .isInstanceOf(ParleyException.class);
        }
    }

    @Test
    void send_afterTheHolderHasMovedWithItsIdentity_continues() throws Exception {
        peers.rendezvous();
        Peer bob = peers.edge("bob");
        Identity identity = Identity.generate();
        Peer before = peers.start(
                peers.builder("before").identity(identity).multicast(false).rendezvous("mem://rendezvous"));
        Pipes.of(before).open("forecast");
        try (OutputPipe out = Pipes.of(bob).connect("forecast", TIMEOUT)) {
            close(before, bob);

            Peer after = peers.start(
                    peers.builder("after").identity(identity).multicast(false).rendezvous("mem://rendezvous"));
            InputPipe in = Pipes.of(after).open("forecast");
            CompletableFuture<Void> sent = out.send(Message.of("text", "still there?"));

            assertThat(next(in)).isEqualTo("still there?");
            Eventually.get(sent, "sending");
            assertThat(out.holder()).isEqualTo(after.id());
        }
    }

    @Test
    void send_afterAnotherPeerHasTakenOver_sendsThereInOrder() throws Exception {
        peers.rendezvous();
        Peer alice = peers.edge("alice");
        Peer bob = peers.edge("bob");
        Pipes.of(alice).open("forecast");
        try (OutputPipe out = Pipes.of(bob).connect("forecast", TIMEOUT)) {
            close(alice, bob);
            List<CompletableFuture<Void>> sent = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                sent.add(out.send(Message.of("text", "message " + i)));
            }
            Peer carol = peers.edge("carol");
            InputPipe in = Pipes.of(carol).open("forecast");

            for (int i = 0; i < 100; i++) {
                assertThat(next(in)).isEqualTo("message " + i);
            }
            Eventually.get(CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new)), "sending");
            assertThat(out.holder()).isEqualTo(carol.id());
        }
    }

    /** The holder vanishes without a word while messages are in flight; another peer holds the pipe too. */
    private Map<String, CompletableFuture<Void>> sendWhileTheHolderVanishes(Pipes pipes, Queue<String> received)
            throws Exception {
        Map<PeerId, Peer> holders = new HashMap<>();
        for (String name : List.of("alice", "carol")) {
            Peer holder = peers.edge(name);
            holders.put(holder.id(), holder);
            Pipes.of(holder).listen("forecast", message -> received.add(text(message)));
        }
        Map<String, CompletableFuture<Void>> sent = new LinkedHashMap<>();
        try (OutputPipe out = pipes.connect("forecast", TIMEOUT)) {
            PeerId first = out.holder();
            for (int i = 0; i < 4000; i++) {
                String text = "message " + i;
                CompletableFuture<Void> done = out.send(Message.of("text", text));
                while (isQueueFull(done)) {
                    Eventually.get(out.whenWritable(), "room in the queue");
                    done = out.send(Message.of("text", text));
                }
                sent.put(text, done);
                if (i == 2000) {
                    peers.network.isolate(first);
                }
            }
            Eventually.get(
                    CompletableFuture.allOf(sent.values().toArray(CompletableFuture<?>[]::new))
                            .handle((done, failure) -> true),
                    "the end of all messages");
            assertThat(out.holder()).isNotEqualTo(first).isIn(holders.keySet());
        }
        return sent;
    }

    /** A confirmed message is at the endpoint of the holder, and the listener gets it soon. */
    private static void awaitAll(Queue<String> received, Set<String> expected) {
        Eventually.until(
                () -> received.size() + " messages (expected: at least " + expected.size() + ")",
                () -> new HashSet<>(received).containsAll(expected));
    }

    private static boolean isQueueFull(CompletableFuture<Void> sent) {
        return sent.isCompletedExceptionally()
                && sent.handle((done, failure) -> ParleyException.unwrap(failure))
                                .join()
                        instanceof ParleyException e
                && e.code() == ErrorCode.QUEUE_FULL;
    }

    private static String text(PipeMessage message) {
        return message.text("text").orElseThrow();
    }

    private Peer impatientSender() {
        return peers.start(peers.impatient("bob").multicast(false).rendezvous("mem://rendezvous"));
    }

    @Test
    void send_whileTheHolderVanishes_noMessageIsLostInSilence() throws Exception {
        peers.rendezvous();
        Queue<String> received = new ConcurrentLinkedQueue<>();
        Map<String, CompletableFuture<Void>> sent = sendWhileTheHolderVanishes(Pipes.of(impatientSender()), received);
        sent.forEach((text, done) -> {
            if (done.isCompletedExceptionally()) {
                assertThat(done.handle((ignored, failure) -> ParleyException.unwrap(failure))
                                .join())
                        .isInstanceOfSatisfying(
                                ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LOST));
            }
        });
        assertThat(sent.values()).as("unacknowledged messages").anyMatch(CompletableFuture::isCompletedExceptionally);
        Set<String> confirmed = sent.entrySet().stream()
                .filter(entry -> !entry.getValue().isCompletedExceptionally())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        awaitAll(received, confirmed);
        assertThat(received).as("messages that arrived twice").doesNotHaveDuplicates();
    }

    @Test
    void sendWithResending_whileTheHolderVanishes_everyMessageArrives() throws Exception {
        peers.rendezvous();
        Queue<String> received = new ConcurrentLinkedQueue<>();
        Map<String, CompletableFuture<Void>> sent =
                sendWhileTheHolderVanishes(Pipes.of(impatientSender()).withResending(), received);
        assertThat(sent.values()).noneMatch(CompletableFuture::isCompletedExceptionally);
        awaitAll(received, sent.keySet());
    }

    @Test
    void send_moreThanTheQueueWithoutAHolder_failsTheRestAndLosesNothing() throws Exception {
        peers.rendezvous();
        Peer alice = peers.edge("alice");
        Peer bob = peers.start(peers.builder("bob")
                .multicast(false)
                .rendezvous("mem://rendezvous")
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .queueBytes(64 * 1024)
                        .reconnectTimeout(Duration.ofSeconds(15))
                        .build()));
        Pipes.of(alice).open("forecast");
        try (OutputPipe out = Pipes.of(bob).connect("forecast", TIMEOUT)) {
            close(alice, bob);
            List<CompletableFuture<Void>> accepted = new ArrayList<>();
            CompletableFuture<Void> last = out.send(numbered(0));
            while (!last.isCompletedExceptionally() && accepted.size() < 1000) {
                accepted.add(last);
                last = out.send(numbered(accepted.size()));
            }
            assertThat(accepted).hasSizeLessThan(1000);
            CompletableFuture<Void> refused = last;
            CompletableFuture<Void> room = out.whenWritable();
            InputPipe in = Pipes.of(peers.edge("carol")).open("forecast");

            for (int i = 0; i < accepted.size(); i++) {
                assertThat(next(in)).isEqualTo("message " + i);
            }
            Eventually.get(room, "room in the queue");
            assertThat(out.send(Message.of("text", "again"))).succeedsWithin(TIMEOUT);
            assertThat(next(in)).isEqualTo("again");
            assertThat(refused).isCompletedExceptionally();
            assertThat(accepted).allSatisfy(sent -> assertThat(sent).succeedsWithin(TIMEOUT));
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
        peers.rendezvous();
        Peer alice = peers.edge("alice");
        Peer bob = peers.edge("bob");
        InputPipe first = Pipes.of(alice).open("forecast");
        try (OutputPipe out = Pipes.of(bob).connect("forecast", TIMEOUT)) {
            send(out, "one");
            assertThat(next(first)).isEqualTo("one");
            InputPipe second = Pipes.of(peers.edge("carol")).open("forecast");
            first.close();

            // A message in flight when the pipe closes is lost, so one message may not be enough.
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
    void send_withoutAnotherHolder_fails() throws Exception {
        peers.rendezvous();
        Peer alice = peers.edge("alice");
        Peer bob = peers.start(peers.builder("bob")
                .multicast(false)
                .rendezvous("mem://rendezvous")
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .reconnectTimeout(Duration.ofMillis(300))
                        .build()));
        Pipes.of(alice).open("forecast");
        try (OutputPipe out = Pipes.of(bob).connect("forecast", TIMEOUT)) {
            close(alice, bob);

            assertThat(out.send(Message.of("text", "still there?")))
                    .failsWithin(TIMEOUT)
                    .withThrowableOfType(java.util.concurrent.ExecutionException.class)
                    .havingCause()
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
        }
    }

    @Test
    void close_withoutAHolder_failsQueuedMessages() throws Exception {
        Peer alice = peers.near("alice");
        Peer bob = peers.near("bob");
        Pipes.of(alice).open("forecast");
        OutputPipe out = Pipes.of(bob).connect("forecast", TIMEOUT);
        alice.close();
        CompletableFuture<Void> sent = out.send(Message.of("text", "lost"));

        out.close();

        assertThat(out.isClosing()).isTrue();
        assertThat(sent).failsWithin(TIMEOUT);
        assertThat(out.send(Message.of("text", "late"))).isCompletedExceptionally();
    }
}
