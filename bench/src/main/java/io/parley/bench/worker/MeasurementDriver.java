package io.parley.bench.worker;

import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.ReplyDispatcher;
import org.HdrHistogram.Histogram;

/** Runs the measurements on the connecting side, one at a time. Not thread-safe. */
final class MeasurementDriver {

    private final ContenderClient client;
    private final ReplyDispatcher replies;

    MeasurementDriver(ContenderClient client, ReplyDispatcher replies) {
        this.client = client;
        this.replies = replies;
    }

    /**
     * Measures round trips for {@code nanos} nanoseconds, at least one and at most {@code maxRoundTrips}. Returns the
     * encoded histogram.
     */
    String roundTrips(WaitMode form, long nanos, long maxRoundTrips) throws Exception {
        Histogram histogram = HistogramCodec.create();
        if (form == WaitMode.EVENT) {
            new EventRoundTrips(client, replies, histogram, nanos, maxRoundTrips).run();
        } else {
            callerRoundTrips(histogram, nanos, maxRoundTrips);
        }
        return HistogramCodec.encode(histogram);
    }

    private void callerRoundTrips(Histogram histogram, long nanos, long maxRoundTrips) throws Exception {
        BlockingCaller caller = new BlockingCaller(client, replies);
        long start = System.nanoTime();
        long now = start;
        for (long done = 0; done < maxRoundTrips && (done == 0 || now - start < nanos); done++) {
            long sent = System.nanoTime();
            caller.roundTrip();
            now = System.nanoTime();
            histogram.recordValue(now - sent);
        }
        replies.clearListener();
    }

    /**
     * Sends a flood. Returns the nanoseconds from the first send until the receiver confirms that all messages have
     * arrived.
     */
    long flood(long messages) throws Exception {
        BlockingCaller caller = new BlockingCaller(client, replies);
        long start = System.nanoTime();
        client.flood(messages);
        caller.await();
        long nanos = System.nanoTime() - start;
        replies.clearListener();
        return nanos;
    }
}
