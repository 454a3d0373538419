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
 * A TCP proxy on loopback behind which everything is a long way off: bytes arrive half a round trip later than they were
 * sent, and those that come first another round trip later, which TCP would have needed to connect.
 */
final class DelayProxy implements AutoCloseable {

    private static final int READ_BYTES = 16 << 10;
    private static final int MAX_UNDER_WAY = 1024;
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

    /** Where connections go; those made earlier wait for it. */
    void target(int port) {
        proxy.target(port);
    }

    private void copy(Socket from, Socket to, boolean toTarget) throws IOException, InterruptedException {
        BlockingQueue<DelayedBytes> underWay = new ArrayBlockingQueue<>(MAX_UNDER_WAY);
        long connected = System.nanoTime() + (toTarget ? roundTripNanos : 0);
        LoopbackProxy.daemon("long-way-read", () -> read(from, underWay, connected));
        OutputStream out = to.getOutputStream();
        for (DelayedBytes sent = underWay.take(); sent.bytes.length > 0; sent = underWay.take()) {
            TimeUnit.NANOSECONDS.sleep(sent.dueNanos - System.nanoTime());
            out.write(sent.bytes);
        }
    }

    private void read(Socket from, BlockingQueue<DelayedBytes> underWay, long connected)
            throws IOException, InterruptedException {
        try {
            InputStream in = from.getInputStream();
            byte[] buffer = new byte[READ_BYTES];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                byte[] bytes = new byte[read];
                System.arraycopy(buffer, 0, bytes, 0, read);
                long sent = Math.max(System.nanoTime(), connected);
                underWay.put(new DelayedBytes(bytes, sent + roundTripNanos / 2));
            }
        } finally {
            underWay.put(new DelayedBytes(END, 0));
        }
    }

    @Override
    public void close() throws IOException {
        proxy.close();
    }
}
