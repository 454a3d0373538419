package io.parley.transport.udp;

import io.parley.transport.EndpointMetrics;
import java.net.InetAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts what is thrown away, and logs of each kind one in a minute. For one thread. */
final class DropCounters {

    private static final Logger log = LoggerFactory.getLogger(DropCounters.class);
    private static final long LOG_NANOS = Duration.ofMinutes(1).toNanos();

    private final EndpointMetrics metrics;
    private final LongSupplier nanoTime;
    private final Map<DropReason, ReasonCount> tallies = new EnumMap<>(DropReason.class);

    private static final class ReasonCount {
        private long count;
        private long toldOf;
        private long toldNanos;
    }

    DropCounters(EndpointMetrics metrics, LongSupplier nanoTime) {
        this.metrics = metrics;
        this.nanoTime = nanoTime;
    }

    void add(DropReason refusal, InetAddress source) {
        metrics.increment(refusal.counter());
        ReasonCount tally = tallies.computeIfAbsent(refusal, kind -> new ReasonCount());
        tally.count++;
        long now = nanoTime.getAsLong();
        if (tally.count == 1 || now - tally.toldNanos >= LOG_NANOS) {
            log.info(
                    "Dropped a datagram from {}: it {} ({} such since this was last logged)",
                    source.getHostAddress(),
                    refusal.text(),
                    tally.count - tally.toldOf);
            tally.toldOf = tally.count;
            tally.toldNanos = now;
        }
    }

    long count(DropReason refusal) {
        ReasonCount tally = tallies.get(refusal);
        return tally == null ? 0 : tally.count;
    }
}
