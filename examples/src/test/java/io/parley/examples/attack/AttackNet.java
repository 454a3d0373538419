package io.parley.examples.attack;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.parley.endpoint.ServiceAddress;
import io.parley.examples.attack.AttackClient.Greeting;
import io.parley.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** The connections of attackers to one peer, from addresses of 127.0.0.0/8. Closing it closes all. */
final class AttackNet implements AutoCloseable {

    /** The number of handshakes at a time, below the limit of the attacked peer for one host. */
    private static final int CONCURRENCY = 32;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
    private final Queue<AutoCloseable> open = new ConcurrentLinkedQueue<>();
    private final InetSocketAddress target;

    AttackNet(InetSocketAddress target) {
        this.target = target;
    }

    InetSocketAddress target() {
        return target;
    }

    /** Opens a TCP connection. */
    Socket socket(String from) throws IOException {
        Socket socket = new Socket(target.getAddress(), target.getPort(), InetAddress.getByName(from), 0);
        open.add(socket);
        return socket;
    }

    AttackClient connect(String from) {
        return connect(from, Greeting.USUAL);
    }

    AttackClient connect(String from, Greeting greeting) {
        return Eventually.get(tryConnect(from, greeting), "a connection from " + from);
    }

    CompletableFuture<AttackClient> tryConnect(String from, Greeting greeting) {
        return AttackClient.connect(loops, from, target, greeting).thenApply(client -> {
            open.add(client);
            return client;
        });
    }

    /** Connects many clients. Returns those that were accepted. */
    List<AttackClient> connect(int count, IntFunction<String> from, Greeting greeting) {
        Queue<AttackClient> accepted = new ConcurrentLinkedQueue<>();
        Semaphore free = new Semaphore(CONCURRENCY);
        for (int i = 0; i < count; i++) {
            acquire(free, 1);
            tryConnect(from.apply(i), greeting).whenComplete((client, failure) -> {
                if (client != null) {
                    accepted.add(client);
                }
                free.release();
            });
        }
        acquire(free, CONCURRENCY);
        return List.copyOf(accepted);
    }

    private static void acquire(Semaphore free, int permits) {
        try {
            if (!free.tryAcquire(permits, Eventually.DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("connections take longer than " + Eventually.DEADLINE);
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    /** Opens channels with the handles 1 to {@code count} and waits for the responses. */
    static void openAll(List<AttackClient> clients, int count, ServiceAddress service, String codec) {
        clients.forEach(
                client -> IntStream.rangeClosed(1, count).forEach(handle -> client.open(handle, service, codec)));
        clients.forEach(client -> Eventually.until(
                () -> client.responses() + " of " + count + " responses to OPEN frames",
                () -> client.responses() == count || !client.isOpen()));
    }

    /** Runs a task for each number in several threads. */
    static void inParallel(int threads, int count, IntFunction<Runnable> task) {
        List<Thread> started = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int first = t;
            Thread thread = new Thread(
                    () -> {
                        for (int i = first; i < count; i += threads) {
                            task.apply(i).run();
                        }
                    },
                    "attack");
            thread.setDaemon(true);
            thread.start();
            started.add(thread);
        }
        try {
            for (Thread thread : started) {
                thread.join();
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public void close() {
        try {
            for (AutoCloseable each : open) {
                each.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }
}
