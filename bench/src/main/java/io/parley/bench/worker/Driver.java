package io.parley.bench.worker;

import io.parley.bench.contender.Link;
import io.parley.bench.contender.Replies;
import org.HdrHistogram.Histogram;

/** Makes the measurements on the connecting side. Not thread-safe: one measurement at a time. */
final class Driver {

    private final Link link;
    private final Replies replies;

    Driver(Link link, Replies replies) {
        this.link = link;
        this.replies = replies;
    }

    /** Round trips for that long, at least one and at most {@code most}; returns the encoded histogram. */
    String roundTrips(Form form, long nanos, long most) throws Exception {
        Histogram histogram = Histograms.create();
        if (form == Form.EVENT) {
            new EventRoundTrips(link, replies, histogram, nanos, most).run();
        } else {
            callerRoundTrips(histogram, nanos, most);
        }
        return Histograms.encode(histogram);
    }

    private void callerRoundTrips(Histogram histogram, long nanos, long most) throws Exception {
        Caller caller = new Caller(link, replies);
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
        Caller caller = new Caller(link, replies);
        long start = System.nanoTime();
        link.flood(messages);
        caller.await();
        long nanos = System.nanoTime() - start;
        replies.tellNobody();
        return nanos;
    }
}
