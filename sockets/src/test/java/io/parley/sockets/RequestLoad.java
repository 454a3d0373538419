package io.parley.sockets;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Many sockets at once, each with two threads: one sends blocking requests and reads the responses, the other one serves. */
final class RequestLoad {

    private static final int REQUEST_BYTES = 1024;

    private final Consumer<Runnable> threads;
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    /** @param threads starts a thread for a task */
    RequestLoad(Consumer<Runnable> threads) {
        this.threads = threads;
    }

    /** Runs all requests, and fails with the first failure. */
    void run(SocketPeers peers, int sockets, int requests) throws Exception {
        CountDownLatch done = new CountDownLatch(2 * sockets + 1);
        try (PeerServerSocket server = peers.ofAlice().listen("load")) {
            start(done, () -> {
                for (int i = 0; i < sockets; i++) {
                    PeerSocket accepted = server.accept();
                    start(done, () -> serve(accepted));
                }
            });
            for (int i = 0; i < sockets; i++) {
                byte mark = (byte) i;
                start(done, () -> request(peers, requests, mark));
            }
            if (!done.await(100, TimeUnit.SECONDS)) {
                throw new AssertionError(done.getCount() + " threads have not ended; failures: " + failures);
            }
        }
        if (!failures.isEmpty()) {
            throw new AssertionError(failures.size() + " threads failed", failures.peek());
        }
    }

    private interface Task {
        void run() throws Exception;
    }

    private void start(CountDownLatch done, Task task) {
        threads.accept(() -> {
            try {
                task.run();
            } catch (Exception | AssertionError e) {
                failures.add(e);
            } finally {
                done.countDown();
            }
        });
    }

    private static void serve(PeerSocket accepted) throws Exception {
        try (accepted) {
            accepted.setSoTimeout(60_000);
            InputStream in = accepted.getInputStream();
            byte[] request = in.readNBytes(REQUEST_BYTES);
            while (request.length == REQUEST_BYTES) {
                accepted.getOutputStream().write(request);
                request = in.readNBytes(REQUEST_BYTES);
            }
        }
    }

    private static void request(SocketPeers peers, int requests, byte mark) throws Exception {
        try (PeerSocket socket = peers.ofBob().connect("load", SocketPeers.SOON.multipliedBy(3))) {
            socket.setSoTimeout(60_000);
            OutputStream out = socket.getOutputStream();
            byte[] request = new byte[REQUEST_BYTES];
            Arrays.fill(request, mark);
            for (int i = 0; i < requests; i++) {
                request[0] = (byte) i;
                out.write(request);
                if (!Arrays.equals(request, socket.getInputStream().readNBytes(REQUEST_BYTES))) {
                    throw new AssertionError("wrong response");
                }
            }
        }
    }
}
