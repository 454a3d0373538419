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
 * A TCP proxy on loopback that simulates a long network path. Bytes arrive half a round trip after they were sent, those to the target
 * also no faster than at the rate of the path. The first bytes arrive a further round trip later, which is the time of a TCP connect.
 */
public final class DelayProxy implements AutoCloseable {

    private static final int READ_BYTES = 16 << 10;

    /** Bytes of a path with a rate arrive in parts of one segment, not all at the end. */
    private static final int SEGMENT_BYTES = 1460;

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
    private final long bytesPerSecond;

    private DelayProxy(Duration roundTrip, long bytesPerSecond) throws IOException {
        this.roundTripNanos = roundTrip.toNanos();
        this.bytesPerSecond = bytesPerSecond;
        this.proxy = LoopbackProxy.open(this::copy);
    }

    static DelayProxy open(Duration roundTrip) throws IOException {
        return open(roundTrip, LinkSchedule.UNLIMITED);
    }

    /**
     * Opens a proxy with a limited rate to the target.
     *
     * @param bytesPerSecond the rate of each connection, in bytes of the TCP stream
     */
    public static DelayProxy open(Duration roundTrip, long bytesPerSecond) throws IOException {
        return new DelayProxy(roundTrip, bytesPerSecond);
    }

    /** Returns the port to connect to. */
    public int port() {
        return proxy.port();
    }

    /** Sets the port to which the proxy connects. Connections accepted earlier wait for this call. */
    public void target(int port) {
        proxy.target(port);
    }

    private void copy(Socket from, Socket to, boolean toTarget) throws IOException, InterruptedException {
        BlockingQueue<DelayedBytes> pending = new ArrayBlockingQueue<>(MAX_PENDING);
        long connected = System.nanoTime() + (toTarget ? roundTripNanos : 0);
        long rate = toTarget ? bytesPerSecond : LinkSchedule.UNLIMITED;
        LinkSchedule schedule = new LinkSchedule(connected, rate, roundTripNanos / 2);
        int readBytes = rate == LinkSchedule.UNLIMITED ? READ_BYTES : SEGMENT_BYTES;
        LoopbackProxy.daemon("delay-proxy-read", () -> read(from, readBytes, pending, schedule));
        OutputStream out = to.getOutputStream();
        for (DelayedBytes sent = pending.take(); sent.bytes.length > 0; sent = pending.take()) {
            TimeUnit.NANOSECONDS.sleep(sent.dueNanos - System.nanoTime());
            out.write(sent.bytes);
        }
    }

    private static void read(Socket from, int readBytes, BlockingQueue<DelayedBytes> pending, LinkSchedule schedule)
            throws IOException, InterruptedException {
        try {
            InputStream in = from.getInputStream();
            byte[] buffer = new byte[readBytes];
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                byte[] bytes = new byte[read];
                System.arraycopy(buffer, 0, bytes, 0, read);
                pending.put(new DelayedBytes(bytes, schedule.dueNanos(System.nanoTime(), read)));
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
