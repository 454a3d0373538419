package io.parley.examples.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** A peer that is connected to the attacked one, pings it and sends it messages all the time. */
final class HonestPeer implements AutoCloseable {

    /** The maximum time of a ping or a message. The usual tests assert no time, so theirs is that of all waits. */
    private static final Duration TIMEOUT = AttackScene.LONG ? Duration.ofSeconds(5) : Eventually.DEADLINE;

    private static final long PAUSE_MILLIS = 20;

    private final AddressForwarder forwarder;
    private final Peer peer;
    private final AttackedPeer attacked;
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final Thread thread = new Thread(this::run, "honest peer");
    private volatile boolean ending;
    private final Queue<Long> nanos = new ConcurrentLinkedQueue<>();
    private volatile int rounds;

    /** The times of pings and messages. */
    record Times(int count, Duration median, Duration p99, Duration longest) {

        @Override
        public String toString() {
            return count + " pings and messages, median " + micros(median) + ", p99 " + micros(p99) + ", longest "
                    + micros(longest);
        }

        private static String micros(Duration time) {
            return time.toNanos() / 1000 + " us";
        }
    }

    /** @param from the address from which the peer connects */
    HonestPeer(String from, AttackedPeer attacked) throws IOException {
        this.attacked = attacked;
        this.forwarder = new AddressForwarder(from, attacked.socketAddress());
        this.peer = Peer.builder().name("honest").multicast(false).start();
        peer.addPeerAddress(attacked.id(), "tcp://127.0.0.1:" + forwarder.port());
        Eventually.get(peer.endpoint().connect(attacked.id()), "the connection of the honest peer");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (!ending) {
                await("ping", peer.endpoint().ping(attacked.id()));
                await(
                        "message",
                        peer.endpoint().send(attacked.id(), AttackedPeerProcess.READ, Message.of("text", "hello")));
                rounds++;
                Thread.sleep(PAUSE_MILLIS); // the load of an ordinary peer, not a delay instead of a check
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void await(String what, Future<?> future) throws InterruptedException {
        long start = System.nanoTime();
        try {
            future.get(TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            failures.add(what + ": " + e.getCause());
        } catch (TimeoutException e) {
            failures.add(what + ": not within " + TIMEOUT);
        }
        nanos.add(System.nanoTime() - start);
    }

    /** Waits for some time, measured in pings. */
    void awaitRounds(int count) {
        int before = rounds;
        for (int i = 1; i <= count; i++) {
            int next = before + i;
            Eventually.until(() -> "no further pings", () -> rounds >= next);
        }
    }

    /** Requires that all pings and messages since the last call were successful, and those after this call. */
    Times assertServed() {
        awaitRounds(2);
        long[] sorted = Stream.generate(nanos::poll)
                .takeWhile(Objects::nonNull)
                .mapToLong(Long::longValue)
                .sorted()
                .toArray();
        List<String> failed =
                Stream.generate(failures::poll).takeWhile(Objects::nonNull).toList();
        assertThat(failed).isEmpty();
        return new Times(
                sorted.length,
                Duration.ofNanos(sorted[sorted.length / 2]),
                Duration.ofNanos(sorted[sorted.length * 99 / 100]),
                Duration.ofNanos(sorted[sorted.length - 1]));
    }

    @Override
    public void close() {
        ending = true;
        peer.close();
        forwarder.close();
    }
}
