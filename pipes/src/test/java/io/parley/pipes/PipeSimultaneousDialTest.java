package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.common.AsyncCloseable;
import io.parley.endpoint.ServiceAddress;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointMetrics.Counter;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.RepeatedTest;

/** Two peers that dial each other at the same time over TCP and TLS. The tests of core do the same in memory, more often. */
class PipeSimultaneousDialTest {

    private static final ServiceAddress SERVICE = ServiceAddress.of("both");
    private static final int MESSAGES = 20;

    @RepeatedTest(20)
    void bothDial_oneConnectionStays_andNothingIsLost() throws Exception {
        try (Peer alice = Peer.loopback().start();
                Peer bob = Peer.loopback().start()) {
            alice.endpoint().addPeerAddress(bob.address());
            bob.endpoint().addPeerAddress(alice.address());
            Queue<String> atAlice = new ConcurrentLinkedQueue<>();
            Queue<String> atBob = new ConcurrentLinkedQueue<>();
            try (AsyncCloseable one = listen(alice, atAlice);
                    AsyncCloseable two = listen(bob, atBob)) {
                assertThat(List.of(one, two)).noneMatch(AsyncCloseable::isClosing);
                CompletableFuture<Void> fromAlice = sendAll(alice, bob);
                CompletableFuture<Void> fromBob = sendAll(bob, alice);
                Eventually.get(fromAlice, "sending at alice");
                Eventually.get(fromBob, "sending at bob");
                Eventually.until(
                        () -> atAlice.size() + " and " + atBob.size() + " messages",
                        () -> atAlice.size() == MESSAGES && atBob.size() == MESSAGES);
                assertThat(List.copyOf(atAlice)).isSorted();
                assertThat(List.copyOf(atBob)).isSorted();
                Eventually.until(
                        () -> "connections: " + open(alice) + " and " + open(bob),
                        () -> open(alice) == 1 && open(bob) == 1);
            }
        }
    }

    private static AsyncCloseable listen(Peer peer, Queue<String> received) {
        return peer.endpoint().listen(SERVICE, message -> {
            received.add(message.message().text("n").orElseThrow());
            message.release();
        });
    }

    private static CompletableFuture<Void> sendAll(Peer from, Peer to) {
        return CompletableFuture.runAsync(() -> {
            CompletableFuture<?>[] sends = new CompletableFuture<?>[MESSAGES];
            for (int i = 0; i < MESSAGES; i++) {
                sends[i] = from.endpoint().send(to.id(), SERVICE, Message.of("n", Integer.toString(1000 + i)));
            }
            CompletableFuture.allOf(sends).join();
        });
    }

    private static long open(Peer peer) {
        return peer.endpoint().metrics().get(Counter.CONNECTIONS_OPENED)
                - peer.endpoint().metrics().get(Counter.CONNECTIONS_CLOSED);
    }
}
