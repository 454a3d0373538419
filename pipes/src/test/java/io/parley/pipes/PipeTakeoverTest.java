package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.common.AsyncCloseable;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the events and failures at the sender when another peer takes over a pipe. */
@Timeout(180)
class PipeTakeoverTest {

    private static final Duration TIMEOUT = Eventually.DEADLINE;

    private final PipePeers peers = new PipePeers(Duration.ofMillis(500));
    private final Queue<PeerId> changes = new ConcurrentLinkedQueue<>();
    private Peer sender;

    @BeforeEach
    void start() {
        peers.rendezvous();
        sender = peers.edge("sender");
    }

    @AfterEach
    void close() {
        peers.close();
    }

    private Peer edge(String name, Identity identity) {
        return peers.start(
                peers.builder(name).identity(identity).multicast(false).rendezvous("mem://rendezvous"));
    }

    private Peer holder(String name) {
        Peer holder = peers.edge(name);
        Pipes.of(holder).open("forecast");
        return holder;
    }

    private OutputPipe connect() throws InterruptedException {
        return Pipes.of(sender).connect("forecast", TIMEOUT);
    }

    private static void send(OutputPipe out) throws Exception {
        Eventually.get(out.send(Message.of("text", "rain?")), "sending");
    }

    /** Closes a holder. A message that is sent before the sender has noticed is lost. */
    private void close(Peer holder) {
        holder.close();
        Eventually.until(
                () -> "the sender is still connected to the holder",
                () -> !sender.endpoint().isConnected(holder.id()));
    }

    private void awaitChanges(int count) {
        Eventually.until(() -> changes.size() + " changes (expected: " + count + ")", () -> changes.size() == count);
    }

    @Test
    void holderListener_holderVanishes_isCalledAfterTheLostMessagesHaveFailed() throws Exception {
        sender = peers.start(peers.impatient("impatient").multicast(false).rendezvous("mem://rendezvous"));
        holder("alice");
        try (OutputPipe out = connect()) {
            PeerId first = out.holder();
            Peer carol = holder("carol");
            List<CompletableFuture<Void>> sent = new ArrayList<>();
            CompletableFuture<Boolean> failedBefore = new CompletableFuture<>();
            out.addHolderListener(holder -> {
                changes.add(holder);
                failedBefore.complete(sent.get(0).isCompletedExceptionally());
            });
            peers.network.isolate(first);
            sent.add(out.send(Message.of("text", "lost")));

            assertThat(failedBefore).succeedsWithin(TIMEOUT).isEqualTo(true);
            assertThat(changes).containsExactly(carol.id());
            assertThat(out.holder()).isEqualTo(carol.id());
            assertThat(sent.get(0)
                            .handle((done, failure) -> ParleyException.unwrap(failure))
                            .join())
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LOST));
            send(out);
        }
    }

    @Test
    void holderListener_holdersCloseInTurn_isCalledForEach_oneAtATime() throws Exception {
        Peer alice = holder("alice");
        try (OutputPipe out = connect()) {
            CountDownLatch inListener = new CountDownLatch(1);
            CountDownLatch released = new CountDownLatch(1);
            out.addHolderListener(holder -> {
                inListener.countDown();
                Eventually.until(() -> "not released", () -> released.getCount() == 0);
                changes.add(holder);
            });
            out.addHolderListener(holder -> {
                throw new AssertionError("a failure of another listener");
            });
            Peer bob = holder("bob");
            close(alice);
            send(out);
            Eventually.latch(inListener, "the call of the listener");
            Peer carol = holder("carol");
            close(bob);
            send(out); // also while a listener blocks
            assertThat(out.holder()).isEqualTo(carol.id());
            assertThat(changes).isEmpty();

            released.countDown();
            awaitChanges(2);
            assertThat(changes).containsExactly(bob.id(), carol.id());
        }
    }

    @Test
    void holderListener_executorRejectsAChange_isCalledForTheNext() throws Exception {
        AtomicBoolean rejecting = new AtomicBoolean();
        AtomicInteger rejected = new AtomicInteger();
        sender = peers.start(peers.builder("full")
                .multicast(false)
                .rendezvous("mem://rendezvous")
                .callbackExecutor(task -> {
                    if (rejecting.get()) {
                        rejected.incrementAndGet();
                        throw new RejectedExecutionException("full (by the test)");
                    }
                    task.run();
                }));
        Peer alice = holder("alice");
        try (OutputPipe out = connect()) {
            out.addHolderListener(changes::add);
            Peer bob = holder("bob");
            rejecting.set(true);
            close(alice);
            send(out);
            Eventually.until(() -> "nothing was rejected", () -> rejected.get() > 0);
            rejecting.set(false);

            Peer carol = holder("carol");
            close(bob);
            send(out);
            awaitChanges(1);
            assertThat(changes).containsExactly(carol.id());
        }
    }

    @Test
    void holderListener_holderMovesWithItsIdentity_isNotCalled() throws Exception {
        Identity identity = Identity.generate();
        Peer before = edge("before", identity);
        Pipes.of(before).open("forecast");
        try (OutputPipe out = connect()) {
            out.addHolderListener(changes::add);
            close(before);
            Peer after = edge("after", identity);
            Pipes.of(after).open("forecast");
            send(out);

            Peer carol = holder("carol"); // a change that is reported shows that the move was not
            close(after);
            send(out);
            awaitChanges(1);
            assertThat(changes).containsExactly(carol.id());
        }
    }

    @Test
    void holderListener_closedRegistration_isNotCalled() throws Exception {
        Peer alice = holder("alice");
        try (OutputPipe out = connect()) {
            AtomicReference<PeerId> unexpected = new AtomicReference<>();
            AsyncCloseable registration = out.addHolderListener(unexpected::set);
            out.addHolderListener(changes::add);
            registration.close();
            holder("carol");
            close(alice);
            send(out);
            awaitChanges(1);
            assertThat(unexpected).hasValue(null);
        }
    }
}
