package io.parley.bench.worker;

import io.parley.bench.stream.ProcessorMeter;
import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamEnd;
import io.parley.bench.stream.StreamExchange;
import io.parley.bench.stream.StreamInitiator;
import io.parley.bench.stream.StreamTiming;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/** The connections of the connecting process, and the measurements on them. Used by one thread. */
final class StreamConnections implements AutoCloseable {

    private static final int DIGITS = 3;

    /** The part of a turn that must be spent before its count is computed from it. */
    private static final int CALIBRATION_SHARE = 4;

    private final StreamContender.Client client;
    private final ProcessorMeter meter = new ProcessorMeter(CpuTimeCounter::nanosSoFar);
    private final Deque<StreamEnd> ends = new ArrayDeque<>();
    private final Map<String, Double> meanNanos = new HashMap<>();

    /** Takes ownership of {@code client}. Opens the first connection. */
    StreamConnections(StreamContender.Client client) throws Exception {
        this.client = client;
        resize(1);
    }

    /** Makes the process have {@code count} connections. */
    void resize(int count) throws Exception {
        while (ends.size() > count) {
            ends.removeLast().close();
        }
        while (ends.size() < count) {
            ends.addLast(client.open());
        }
    }

    /** Exchanges blocks for about {@code nanos} on the first connection, but at most {@code maxCount}. */
    String exchange(StreamExchange.Form form, int bytes, long nanos, int maxCount) throws Exception {
        StreamInitiator initiator = new StreamInitiator(ends.getFirst(), meter);
        String key = form + " " + bytes;
        int count = 1;
        Double mean = meanNanos.get(key);
        for (StreamTiming trial; mean == null; count *= 2) {
            trial = initiator.run(new StreamExchange(form, bytes, count));
            boolean isLong = trial.nanos() > nanos / CALIBRATION_SHARE;
            mean = isLong || count >= maxCount / 2 ? trial.meanNanos() : null;
        }
        StreamTiming timing = initiator.run(new StreamExchange(form, bytes, count(nanos, mean, maxCount)));
        meanNanos.put(key, timing.meanNanos());
        return timing.count() + " " + timing.nanos() + " " + HistogramCodec.encode(timing.times());
    }

    /** Returns the processor time of this process during the last {@link #exchange}, in nanoseconds. */
    long exchangeProcessorNanos() {
        return meter.nanos();
    }

    private static int count(long nanos, double meanNanos, int maxCount) {
        return (int) Math.max(1, Math.min(nanos / meanNanos, maxCount));
    }

    /** Plays ping-pong on all connections at the same time, each with a thread of its own, for about {@code nanos}. */
    String allPingPong(int bytes, long nanos, int maxCount) throws Exception {
        String key = ends.size() + " x " + bytes;
        int count = count(nanos, meanNanos.getOrDefault(key, (double) nanos), maxCount);
        StreamExchange exchange = new StreamExchange(StreamExchange.Form.PING_PONG, bytes, count);
        AtomicLong began = new AtomicLong();
        AtomicLong ended = new AtomicLong(Long.MIN_VALUE);
        CyclicBarrier start = new CyclicBarrier(ends.size(), () -> began.set(System.nanoTime()));
        ExecutorService threads = Executors.newFixedThreadPool(ends.size());
        try {
            List<Future<StreamTiming>> timings = new ArrayList<>();
            for (StreamEnd end : ends) {
                Callable<StreamTiming> task = () -> {
                    start.await();
                    StreamTiming timing = new StreamInitiator(end, new ProcessorMeter(() -> 0)).run(exchange);
                    ended.accumulateAndGet(System.nanoTime() - began.get(), Math::max);
                    return timing;
                };
                timings.add(threads.submit(task));
            }
            Histogram all = new Histogram(DIGITS);
            for (Future<StreamTiming> timing : timings) {
                all.add(timing.get().times());
            }
            long elapsed = ended.get(); // the sum of a thousand histograms takes longer than some turns
            meanNanos.put(key, (double) elapsed / count);
            return all.getTotalCount() + " " + elapsed + " " + HistogramCodec.encode(all);
        } finally {
            threads.shutdownNow();
        }
    }

    @Override
    public void close() throws IOException {
        for (StreamEnd end : ends) {
            end.close();
        }
        client.close();
    }
}
