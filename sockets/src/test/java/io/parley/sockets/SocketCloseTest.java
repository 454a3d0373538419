package io.parley.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.Scheduler;
import io.parley.testkit.Eventually;
import io.parley.testkit.TestSeed;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Close from any thread in any state, in random interleavings that a seed determines as far as the processors do: each close returns, each
 * call that waits ends, and no socket stays. {@code .ci/campaign-sockets} runs a thousand, and checks the time of each close.
 */
class SocketCloseTest {

    private static final int SCHEDULES = Integer.getInteger("parley.test.schedules", 1000);
    private static final int MAX_SPINS = 100_000;

    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "interleaving");
        thread.setDaemon(true);
        return thread;
    });
    private final AtomicLong longestNanos = new AtomicLong();

    @Test
    void close_inAnyState_returns() throws Exception {
        run(40);
    }

    /** The acceptance of the sockets. */
    @Tag("slow")
    @Timeout(1800)
    @Test
    void close_inAnyState_returnsWithinTwoSeconds() throws Exception {
        run(SCHEDULES);
        assertThat(TimeUnit.NANOSECONDS.toMillis(longestNanos.get()))
                .as("milliseconds of the longest close")
                .isLessThan(2000);
    }

    private void run(int schedules) throws Exception {
        long seed = TestSeed.next("interleavings of close");
        try (SocketPeers peers = SocketPeers.inMemory()) {
            Random random = new Random(seed);
            for (int i = 0; i < schedules; i++) {
                new Schedule(peers, random.nextLong(), i).run();
            }
            Eventually.until(
                    () -> "open sockets: " + peers.ofAlice().registry().openSockets() + ", "
                            + peers.ofBob().registry().openSockets(),
                    () -> peers.ofAlice().registry().openSockets() == 0
                            && peers.ofBob().registry().openSockets() == 0);
        } finally {
            threads.shutdownNow();
        }
        System.out.printf(
                "close of sockets: %d interleavings, the longest close took %.1f ms%n",
                schedules, longestNanos.get() / 1e6);
    }

    private interface Task {
        void run() throws Exception;
    }

    /** A call or a close that a thread of its own makes. */
    private final class Call {

        private final String name;
        private final Future<?> end;
        private volatile @Nullable Thread thread;

        Call(String name, Task task) {
            this.name = name;
            this.end = threads.submit(() -> {
                thread = Thread.currentThread();
                task.run();
                return null;
            });
        }

        boolean isDone() {
            return end.isDone();
        }

        void awaitEnd() throws Exception {
            end.get(60, TimeUnit.SECONDS);
        }

        /** Returns the name, and where the thread is. */
        @Override
        public String toString() {
            Thread running = thread;
            return running == null
                    ? name + ": not started"
                    : Arrays.stream(running.getStackTrace())
                            .map(frame -> System.lineSeparator() + "\tat " + frame)
                            .collect(Collectors.joining("", name + ": " + running.getState(), ""));
        }
    }

    /** One pair of sockets, a server and a socket that connects, with random calls and closes. */
    private final class Schedule {

        private final SocketPeers peers;
        private final Random random;
        private final int number;
        private final long seed;
        private final List<Call> calls = new ArrayList<>();

        Schedule(SocketPeers peers, long seed, int number) {
            this.peers = peers;
            this.random = new Random(seed);
            this.seed = seed;
            this.number = number;
        }

        void run() throws Exception {
            PeerServerSocket server = peers.ofAlice().listen("close" + number);
            String host = server.host().toString();
            PeerSocket client = peers.ofBob().socketFactory().createSocket(host, 1);
            PeerSocket accepted = server.accept();
            PeerSocket connecting = peers.ofBob().socketFactory().createSocket();
            String target = random.nextBoolean() ? host : "nobody-has-it.parley";
            maybe("read of client", () -> client.getInputStream().readAllBytes());
            int size = random.nextInt(3) * 4_000_000 + 1;
            maybe("write of client", () -> client.getOutputStream().write(new byte[size]));
            maybe("read of accepted", () -> accepted.getInputStream().read());
            maybe("write of accepted", () -> accepted.getOutputStream().write(new byte[8_000_000]));
            maybe("shutdownOutput of client", () -> client.shutdownOutput());
            maybe("shutdownInput of accepted", () -> accepted.shutdownInput());
            maybe("setSoLinger of client", () -> client.setSoLinger(true, 0));
            maybe("accept of server", () -> server.accept().close());
            maybe(
                    "connect to " + target,
                    () -> connecting.connect(InetSocketAddress.createUnresolved(target, 1), 3_600_000));
            startCloses("client", client);
            startCloses("accepted", accepted);
            startCloses("server", server);
            startCloses("connecting", connecting);
            for (Call each : calls) {
                try {
                    each.awaitEnd();
                } catch (TimeoutException e) {
                    throw new AssertionError("schedule " + number + " with seed " + seed + " does not end: "
                            + calls.stream()
                                    .filter(call -> !call.isDone())
                                    .map(Call::toString)
                                    .collect(Collectors.joining(System.lineSeparator())));
                }
            }
        }

        private void maybe(String name, Task task) {
            if (random.nextBoolean()) {
                start(name, () -> {
                    try {
                        task.run();
                    } catch (IOException closed) {
                        // as expected
                    }
                });
            }
        }

        private void startCloses(String name, AutoCloseable socket) {
            for (int i = random.nextInt(2); i >= 0; i--) {
                start("close of " + name, () -> close(socket));
            }
        }

        private void start(String name, Task task) {
            int spins = random.nextInt(MAX_SPINS);
            calls.add(new Call(name, () -> {
                for (int i = 0; i < spins; i++) {
                    Thread.onSpinWait();
                }
                task.run();
            }));
        }

        private void close(AutoCloseable socket) throws Exception {
            long start = Scheduler.system().nanoTime();
            socket.close();
            long nanos = Scheduler.system().nanoTime() - start;
            longestNanos.accumulateAndGet(nanos, Math::max);
        }
    }
}
