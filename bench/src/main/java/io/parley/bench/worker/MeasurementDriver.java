package io.parley.bench.worker;

import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.ReplyDispatcher;
import org.HdrHistogram.Histogram;

/** Makes the measurements on the connecting side. Not thread-safe: one measurement at a time. */
final class MeasurementDriver {

    private final ContenderClient link;
    private final ReplyDispatcher replies;

    MeasurementDriver(ContenderClient link, ReplyDispatcher replies) {
        this.link = link;
        this.replies = replies;
    }

    /** Round trips for that long, at least one and at most {@code most}; returns the encoded histogram. */
    String roundTrips(WaitMode form, long nanos, long most) throws Exception {
        Histogram histogram = HistogramCodec.create();
        if (form == WaitMode.EVENT) {
            new EventRoundTrips(link, replies, histogram, nanos, most).run();
        } else {
            callerRoundTrips(histogram, nanos, most);
        }
        return HistogramCodec.encode(histogram);
    }

    private void callerRoundTrips(Histogram histogram, long nanos, long most) throws Exception {
        BlockingCaller caller = new BlockingCaller(link, replies);
        long start = System.nanoTime();
        long now = start;
        for (long done = 0; done < most && (done == 0 || now - start < nanos); done++) {
            long sent = System.nanoTime();
            caller.roundTrip();
            now = System.nanoTime();
            histogram.recordValue(now - sent);
        }
        replies.tellNobody();
    }

    /** Nanoseconds from the first send until the answer of a receiver that has everything. */
    long flood(long messages) throws Exception {
        BlockingCaller caller = new BlockingCaller(link, replies);
        long start = System.nanoTime();
        link.flood(messages);
        caller.await();
        long nanos = System.nanoTime() - start;
        replies.tellNobody();
        return nanos;
    }
}
