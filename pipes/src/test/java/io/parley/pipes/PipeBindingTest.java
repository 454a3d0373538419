package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import io.parley.transport.memory.InMemoryNetwork;
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
                () -> !sender.endpoint().connectedPeers().contains(holder.id()));
    }

    @Test
    void connect_byNameThroughARendezvous_findsTheHolder() throws Exception {
        rendezvous();
        Peer alice = edge("alice");
        Peer bob = edge("bob");
        InputPipe in = Pipes.of(alice).open("forecast");

        try (OutputPipe out = Pipes.of(bob).connect("forecast", TIMEOUT)) {
            assertThat(out.holder()).isEqualTo(alice.id());
            send(out, "rain?");
        }

        assertThat(next(in)).isEqualTo("rain?");
    }

    @Test
    void connect_byNameOnTheLocalNetwork_findsTheHolder() throws Exception {
        Peer alice = near("alice");
        Peer bob = near("bob");
        InputPipe in = Pipes.of(alice).open("forecast");

        try (OutputPipe out = Pipes.of(bob).connect("forecast", TIMEOUT)) {
            send(out, "rain?");
        }

        assertThat(next(in)).isEqualTo("rain?");
    }

    @Test
    void connect_beforeTheHolderStarts_waitsForIt() throws Exception {
        Peer bob = near("bob");
        CompletableFuture<OutputPipe> connecting =
                Pipes.of(bob).connectAsync(Pipes.of(bob).pipeId("forecast"), TIMEOUT);

        InputPipe in = Pipes.of(near("alice")).open("forecast");

        try (OutputPipe out = Eventually.get(connecting, "connecting")) {
            send(out, "at last");
        }
        assertThat(next(in)).isEqualTo("at last");
    }

    /** Long enough for the search for members, which explains the failure. */
    private static final Duration SHORT = Duration.ofSeconds(2);

    private static String failureOf(PeerGroup group, String name) {
        Throwable failure = catchThrowable(() -> Pipes.of(group).connect(name, SHORT));
        assertThat(failure)
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE))
                .hasMessageContaining("pipe \"" + name + "\"")
                .hasMessageContaining("in group " + group.name());
        return String.valueOf(failure.getMessage());
    }

    @Test
    void connect_withoutAnyNetwork_namesTheMissingConfiguration() {
        Peer bob = start(builder("bob").multicast(false));

        assertThat(failureOf(bob.netGroup(), "forecast"))
                .contains("neither a rendezvous nor a multicast transport", "PeerBuilder.rendezvous");
    }

    @Test
    void connect_rendezvousIsDead_namesItsAddressAndFailure() {
        Peer bob = edge("bob"); // no rendezvous runs at its address

        assertThat(failureOf(bob.netGroup(), "forecast"))
                .contains("no rendezvous responded", "mem://rendezvous", "last failure: ");
    }

    @Test
    void connect_wrongGroup_namesTheGroupWithoutMembers() {
        Peer rendezvous = rendezvous();
        Peer alice = edge("alice");
        Peer bob = edge("bob");
        Pipes.of(alice.group("weather").join()).open("forecast");
        assertThat(bob.whenOnline()).succeedsWithin(TIMEOUT);

        assertThat(failureOf(bob.group("wether").join(), "forecast"))
                .contains("queried rendezvous " + rendezvous.id().shortText())
                .contains("no other member of group wether was found");
    }

    @Test
    void connect_misspelledPipe_namesThePipe() {
        Peer rendezvous = rendezvous();
        Peer alice = edge("alice");
        Peer bob = edge("bob");
        PeerGroup ofAlice = alice.group("weather").join();
        Pipes.of(ofAlice).open("forecast");
        PeerGroup ofBob = bob.group("weather").join();
        assertThat(ofAlice.discovery()
                        .publish(PipeAdvertisement.of(Pipes.of(ofAlice).pipeId("other"), PipeType.UNICAST, "other"))
                        .whenIndexed())
                .succeedsWithin(TIMEOUT);
        Eventually.get(Pipes.of(ofBob).connectAsync("forecast", TIMEOUT), "connecting")
                .close();

        assertThat(failureOf(ofBob, "forcast"))
                .contains("queried rendezvous " + rendezvous.id().shortText())
                .contains("other members of the group were found, but none has published the pipe");
    }

    @Test
    void connect_onTheLocalNetwork_namesIt() {
        near("alice");

        assertThat(failureOf(near("bob").netGroup(), "nothing")).contains("queried the local network;");
    }

    /** User callbacks that wait for the peer's own work do not stop it: each has threads of its own. */
    @Test
    void listeners_thatAllWaitForAConnect_doNotStopDiscovery() throws Exception {
        rendezvous();
        Peer alice = edge("alice");
        Peer bob = edge("bob");
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
    void send_afterTheHolderHasMovedWithItsIdentity_continues() throws Exception {
        rendezvous();
        Peer bob = edge("bob");
        Identity identity = Identity.generate();
        Peer before =
                start(builder("before").identity(identity).multicast(false).rendezvous("mem://rendezvous"));
        Pipes.of(before).open("forecast");
        try (OutputPipe out = Pipes.of(bob).connect("forecast", TIMEOUT)) {
            close(before, bob);

            Peer after =
                    start(builder("after").identity(identity).multicast(false).rendezvous("mem://rendezvous"));
            InputPipe in = Pipes.of(after).open("forecast");
            CompletableFuture<Void> sent = out.send(Message.of("text", "still there?"));

            assertThat(next(in)).isEqualTo("still there?");
            Eventually.get(sent, "sending");
            assertThat(out.holder()).isEqualTo(after.id());
        }
    }

    @Test
    void send_afterAnotherPeerHasTakenOver_sendsThereInOrder() throws Exception {
        rendezvous();
        Peer alice = edge("alice");
        Peer bob = edge("bob");
        Pipes.of(alice).open("forecast");
        try (OutputPipe out = Pipes.of(bob).connect("forecast", TIMEOUT)) {
            close(alice, bob);
            List<CompletableFuture<Void>> sent = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                sent.add(out.send(Message.of("text", "message " + i)));
            }
            Peer carol = edge("carol");
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
            Peer holder = edge(name);
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
                    network.isolate(first);
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

    /** Notices a silent peer after 600 ms. */
    private Peer impatientSender() {
        return start(builder("bob")
                .multicast(false)
                .rendezvous("mem://rendezvous")
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .keepAliveInterval(Duration.ofMillis(200))
                        .closeTimeout(Duration.ofMillis(500))
                        .reconnectTimeout(Duration.ofSeconds(15))
                        .build()));
    }

    @Test
    void send_whileTheHolderVanishes_noMessageIsLostInSilence() throws Exception {
        rendezvous();
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
        rendezvous();
        Queue<String> received = new ConcurrentLinkedQueue<>();
        Map<String, CompletableFuture<Void>> sent =
                sendWhileTheHolderVanishes(Pipes.of(impatientSender()).withResending(), received);
        assertThat(sent.values()).noneMatch(CompletableFuture::isCompletedExceptionally);
        awaitAll(received, sent.keySet());
    }

    @Test
    void send_moreThanTheQueueWithoutAHolder_failsTheRestAndLosesNothing() throws Exception {
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
            InputPipe in = Pipes.of(edge("carol")).open("forecast");

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
        rendezvous();
        Peer alice = edge("alice");
        Peer bob = edge("bob");
        InputPipe first = Pipes.of(alice).open("forecast");
        try (OutputPipe out = Pipes.of(bob).connect("forecast", TIMEOUT)) {
            send(out, "one");
            assertThat(next(first)).isEqualTo("one");
            InputPipe second = Pipes.of(edge("carol")).open("forecast");
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
        rendezvous();
        Peer alice = edge("alice");
        Peer bob = start(builder("bob")
                .multicast(false)
                .rendezvous("mem://rendezvous")
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .reconnectTimeout(Duration.ofMillis(800))
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
        Peer alice = near("alice");
        Peer bob = near("bob");
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
