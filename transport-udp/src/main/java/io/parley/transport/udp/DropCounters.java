package io.parley.transport.udp;

import io.parley.common.internal.RateLimitedLogger;
import io.parley.transport.EndpointMetrics;
import java.net.InetAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the dropped datagrams, and logs one per reason and minute. Not thread-safe. */
final class DropCounters {

    private static final Logger log = LoggerFactory.getLogger(DropCounters.class);

    private final EndpointMetrics metrics;
    private final Map<DropReason, ReasonCount> counts = new EnumMap<>(DropReason.class);

    private static final class ReasonCount {
        private final RateLimitedLogger logger = new RateLimitedLogger(log);
        private long count;
    }

    DropCounters(EndpointMetrics metrics) {
        this.metrics = metrics;
        for (DropReason reason : DropReason.values()) {
            counts.put(reason, new ReasonCount());
        }
    }

    void add(DropReason reason, InetAddress source) {
        metrics.increment(reason.counter());
        ReasonCount counted = of(reason);
        counted.count++;
        counted.logger.info("Dropped a datagram from {}: {}", source, reason.text());
    }

    long count(DropReason reason) {
        return of(reason).count;
    }

    private ReasonCount of(DropReason reason) {
        return Objects.requireNonNull(counts.get(reason));
    }
}
