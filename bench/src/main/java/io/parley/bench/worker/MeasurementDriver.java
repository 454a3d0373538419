package io.parley.bench.worker;

import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.LossyContenderClient;
import io.parley.bench.contender.PacedContenderClient;
import io.parley.bench.contender.RequestContenderClient;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.HdrHistogram.Histogram;

/** Runs the measurements on the connecting side, one at a time. Not thread-safe. */
final class MeasurementDriver {

    private final Connections connections;

    MeasurementDriver(Connections connections) {
        this.connections = connections;
    }

    /**
     * Measures round trips on the first connection for {@code nanos} nanoseconds, at least one and at most
     * {@code maxRoundTrips}. Returns their number and the encoded histogram, in which one can be missing.
     */
    String roundTrips(WaitMode form, long nanos, long maxRoundTrips) throws Exception {
        Histogram histogram = HistogramCodec.create();
        Connections.Entry first = connections.first();
        long count;
        if (form == WaitMode.EVENT) {
            EventRoundTrips roundTrips =
                    new EventRoundTrips(first.client(), first.replies(), histogram, nanos, maxRoundTrips);
            roundTrips.start();
            roundTrips.await();
            count = roundTrips.count();
        } else {
            callerRoundTrips(first, histogram, nanos, maxRoundTrips);
            count = histogram.getTotalCount();
        }
        requireIntact();
        return count + " " + HistogramCodec.encode(histogram);
    }

    private static void callerRoundTrips(
            Connections.Entry connection, Histogram histogram, long nanos, long maxRoundTrips) throws Exception {
        BlockingCaller caller = new BlockingCaller(connection.client(), connection.replies());
        long start = System.nanoTime();
        long now = start;
        for (long done = 0; done < maxRoundTrips && (done == 0 || now - start < nanos); done++) {
            long sent = System.nanoTime();
            caller.roundTrip();
            now = System.nanoTime();
            histogram.recordValue(now - sent);
        }
        connection.replies().clearListener();
    }

    /**
     * Measures round trips on all connections at the same time, one pending on each. Returns the nanoseconds from the first
     * message until the last reply, and the encoded histogram.
     */
    String allRoundTrips(long nanos, long maxRoundTrips) throws Exception {
        List<EventRoundTrips> running = new ArrayList<>();
        for (Connections.Entry connection : connections.all()) {
            running.add(new EventRoundTrips(
                    connection.client(), connection.replies(), HistogramCodec.createSmall(), nanos, maxRoundTrips));
        }
        long start = System.nanoTime();
        for (EventRoundTrips roundTrips : running) {
            roundTrips.start();
        }
        Histogram sum = HistogramCodec.createSmall();
        for (EventRoundTrips roundTrips : running) {
            sum.add(roundTrips.await());
        }
        long elapsed = System.nanoTime() - start;
        requireIntact();
        return elapsed + " " + HistogramCodec.encode(sum);
    }

    /**
     * Keeps {@code pending} requests pending on the first connection for {@code nanos} nanoseconds. Returns the nanoseconds until
     * the last response, and the encoded histogram.
     */
    String requests(int pending, long nanos) throws Exception {
        Connections.Entry first = connections.first();
        if (!(first.client() instanceof RequestContenderClient client)) {
            throw new IllegalStateException("client: has no requests");
        }
        PendingRequests requests = new PendingRequests(client, first.replies(), pending, nanos);
        Histogram times = requests.run();
        long elapsed = requests.elapsed();
        requireIntact();
        return elapsed + " " + HistogramCodec.encode(times);
    }

    /**
     * Sends a flood on the first connection. Returns the nanoseconds from the first send until the receiver confirms that all
     * messages have arrived.
     */
    long flood(long messages) throws Exception {
        Connections.Entry first = connections.first();
        BlockingCaller caller = caller(first);
        long start = System.nanoTime();
        first.client().flood(messages, messages);
        caller.await();
        long nanos = System.nanoTime() - start;
        first.replies().clearListener();
        requireIntact();
        return nanos;
    }

    /** Sends {@code messagesEach} messages on each connection at the same time. Returns the nanoseconds as {@link #flood} does. */
    long allFlood(long messagesEach) throws Exception {
        CountDownLatch confirmed = new CountDownLatch(1);
        List<Connections.Entry> all = connections.all();
        for (Connections.Entry connection : all) {
            connection.replies().setListener(confirmed::countDown);
        }
        long start = System.nanoTime();
        for (Connections.Entry connection : all) {
            connection.client().flood(messagesEach, messagesEach * all.size());
        }
        confirmed.await();
        long nanos = System.nanoTime() - start;
        for (Connections.Entry connection : all) {
            connection.replies().clearListener();
        }
        requireIntact();
        return nanos;
    }

    private static BlockingCaller caller(Connections.Entry connection) {
        return new BlockingCaller(connection.client(), connection.replies());
    }

    /** Sends messages until the process ends. Returns at once. */
    void floodForever() {
        ContenderClient client = connections.first().client();
        Thread flood = new Thread(
                () -> {
                    try {
                        client.flood(Long.MAX_VALUE, Long.MAX_VALUE);
                    } catch (Exception ended) {
                        System.err.println("flood ended: " + ended); // the server counts what arrives until then
                    }
                },
                "bench-flood");
        flood.setDaemon(true);
        flood.start();
    }

    /**
     * Sends messages at a constant rate, and waits until all of them have arrived. Returns the messages sent per second and the
     * encoded histogram of the times by which the sender overslept. The receiver has the latencies.
     */
    String paced(long perSecond, long messages) throws Exception {
        Connections.Entry first = connections.first();
        if (!(first.client() instanceof PacedContenderClient client)) {
            throw new IllegalStateException("client: cannot send at a constant rate");
        }
        BlockingCaller caller = caller(first);
        Pacer pacer = new Pacer(client, perSecond);
        long nanos = pacer.send(messages);
        client.flood(1, messages + 1);
        caller.await();
        first.replies().clearListener();
        return messages * 1e9 / nanos + " " + HistogramCodec.encode(pacer.wakeUps());
    }

    /**
     * Sends messages of {@code bytes} bytes at a constant rate, which the client may drop. Returns the messages sent per second; the
     * receiver knows how many have arrived.
     */
    String attempt(int bytes, long perSecond, long messages) throws Exception {
        if (!(connections.first().client() instanceof LossyContenderClient client)) {
            throw new IllegalStateException("client: does not drop messages");
        }
        client.prepareLossy(bytes);
        long nanos = new Pacer(client, perSecond, false).send(messages);
        return Double.toString(messages * 1e9 / nanos);
    }

    private void requireIntact() {
        for (Connections.Entry connection : connections.all()) {
            connection.replies().requireIntact();
        }
    }
}
