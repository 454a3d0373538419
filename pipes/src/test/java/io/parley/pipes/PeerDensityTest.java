package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.endpoint.EndpointLimits;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import io.parley.testkit.ThreadWatch;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many peers in one JVM share its threads. */
@Tag("extended")
class PeerDensityTest {

    /** Enough that the threads of each peer would exceed the limits; {@code .ci/campaign-density} starts thousands. */
    private static final int PEERS = 25; // of each transport

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    private static final int MEMORY_LOOPS = 2;
    private static final int STORE_THREADS = 2;
    private static final int PEER_THREADS = Math.max(8, 4 * PROCESSORS);
    private static final Duration SOON = Eventually.DEADLINE;

    private final ThreadWatch threads = new ThreadWatch();
    private final InMemoryNetwork network = new InMemoryNetwork(MEMORY_LOOPS);
    private final List<Peer> peers = new ArrayList<>();
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void closePeers() {
        release.countDown();
        peers.forEach(Peer::closeAsync);
        peers.forEach(peer -> Eventually.get(peer.whenClosed(), "closing a peer"));
    }

    private Peer start(String address) {
        Peer peer = Peer.builder()
                .multicast(false)
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .connectTimeout(SOON)
                        .handshakeTimeout(SOON)
                        .build())
                .transport(network.transportProvider())
                .listen(address)
                .start();
        peers.add(peer);
        return peer;
    }

    private long count(String prefix) {
        return threads.started().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .count();
    }

    /** Starts peers of which each sends a message to the next one. */
    private void startRing(String address) throws Exception {
        List<Peer> ring = new ArrayList<>();
        CountDownLatch received = new CountDownLatch(PEERS);
        for (int i = 0; i < PEERS; i++) {
            ring.add(start(address));
            InputPipe in = Pipes.of(ring.get(i)).listen("numbers", message -> received.countDown());
            assertThat(in.isClosed()).isFalse();
        }
        for (int i = 0; i < PEERS; i++) {
            Peer next = ring.get((i + 1) % PEERS);
            OutputPipe out = Pipes.of(ring.get(i)).connect(next.address(), "numbers", SOON);
            Eventually.get(out.send(Message.of("number", "" + i)), "sending");
        }
        Eventually.latch(received, "all messages");
    }

    @Test
    void manyPeers_haveTheThreadsOfAFew_andTheLastOneEndsThem() throws Exception {
        startRing("mem://any");
        startRing("tcp://127.0.0.1:0");

        assertThat(count("parley-endpoint")).isBetween(1L, (long) PROCESSORS);
        assertThat(count("parley-tcp")).isLessThanOrEqualTo(PROCESSORS);
        assertThat(count("parley-mem")).isLessThanOrEqualTo(MEMORY_LOOPS);
        assertThat(count("parley-store")).isLessThanOrEqualTo(STORE_THREADS);
        assertThat(count("parley-work")).isLessThanOrEqualTo(4L * PEER_THREADS);
        awaitCallbackThreads();
        closePeers();
        threads.untilGone();
    }

    @ParameterizedTest
    @ValueSource(strings = {"mem://any", "tcp://127.0.0.1:0"})
    void listenersThatBlock_delayNoOtherPeer(String address) throws Exception {
        Peer sender = start(address);
        Peer slow = start(address);
        int pipes = 3 * PEER_THREADS;
        CountDownLatch blocked = new CountDownLatch(PEER_THREADS);
        for (int i = 0; i < pipes; i++) {
            Pipes.of(slow).listen("slow-" + i, message -> {
                blocked.countDown();
                Eventually.latch(release, "the end of the test");
            });
            OutputPipe out = Pipes.of(sender).connect(slow.address(), "slow-" + i, SOON);
            Eventually.get(out.send(Message.of("text", "blocks a thread")), "sending");
        }
        Eventually.latch(blocked, "all threads of the slow peer");

        for (int i = 0; i < 10; i++) {
            Peer other = start(address);
            CountDownLatch received = new CountDownLatch(1);
            Pipes.of(other).listen("fast", message -> received.countDown());
            OutputPipe out = Pipes.of(sender).connect(other.address(), "fast", SOON);
            Eventually.get(out.send(Message.of("text", "is not delayed")), "sending");
            Eventually.latch(received, "the message to another peer");
        }
        assertThat(release.getCount()).isEqualTo(1);
        awaitCallbackThreads();
    }

    /** There may be more for a moment, if tasks had to wait for a processor. */
    private void awaitCallbackThreads() {
        Eventually.until(
                () -> "threads of callbacks: " + count("parley-callback"),
                () -> count("parley-callback") <= 2L * PEER_THREADS);
    }
}
