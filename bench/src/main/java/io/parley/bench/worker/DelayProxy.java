package io.parley.bench.worker;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A TCP proxy on loopback that simulates a long network path. Bytes arrive half a round trip after they were sent. The
 * first bytes arrive a further round trip later, which is the time of a TCP connect.
 */
final class DelayProxy implements AutoCloseable {

    private static final int READ_BYTES = 16 << 10;
    private static final int MAX_PENDING = 1024;
    private static final byte[] END = new byte[0];

    private static final class DelayedBytes {

        private final byte[] bytes;
        private final long dueNanos;

        private DelayedBytes(byte[] bytes, long dueNanos) {
            this.bytes = bytes;
            this.dueNanos = dueNanos;
        }
    }

    private final LoopbackProxy proxy;
    private final long roundTripNanos;

    private DelayProxy(Duration roundTrip) throws IOException {
        this.roundTripNanos = roundTrip.toNanos();
        this.proxy = LoopbackProxy.open(this::copy);
    }

    static DelayProxy open(Duration roundTrip) throws IOException {
        return new DelayProxy(roundTrip);
    }

    int port() {
        return proxy.port();
    }

    /** Sets the port to which the proxy connects. Connections accepted earlier wait for this call. */
    void target(int port) {
        proxy.target(port);
    }

    private void copy(Socket from, Socket to, boolean toTarget) throws IOException, InterruptedException {
        BlockingQueue<DelayedBytes> pending = new ArrayBlockingQueue<>(MAX_PENDING);
        long connected = System.nanoTime() + (toTarget ? roundTripNanos : 0);
        LoopbackProxy.daemon("delay-proxy-read", () -> read(from, pending, connected));
        OutputStream out = to.getOutputStream();
        for (DelayedBytes sent = pending.take(); sent.bytes.length > 0; sent = pending.take()) {
            TimeUnit.NANOSECONDS.sleep(sent.dueNanos - System.nanoTime());
            out.write(sent.bytes);
        }
    }

    private void read(Socket from, BlockingQueue<DelayedBytes> pending, long connected)
            throws IOException, InterruptedException {
        try {
            InputStream in = from.getInputStream();
            byte[] buffer = new byte[READ_BYTES];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                byte[] bytes = new byte[read];
                System.arraycopy(buffer, 0, bytes, 0, read);
                long sent = Math.max(System.nanoTime(), connected);
                pending.put(new DelayedBytes(bytes, sent + roundTripNanos / 2));
            }
        } finally {
            pending.put(new DelayedBytes(END, 0));
        }
    }

    @Override
    public void close() throws IOException {
        proxy.close();
    }
}
