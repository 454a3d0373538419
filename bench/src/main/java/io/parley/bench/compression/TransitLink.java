package io.parley.bench.compression;

import io.parley.bench.worker.DelayProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The link between the peers of a transit. */
public enum TransitLink {
    /** The DSL uplink of the paper, which names its rate and not its delay. */
    DSL("dsl", "640 kbit/s, 40 ms for a round trip", Duration.ofMillis(40), 640_000),
    /** The local network of the paper. */
    LAN("lan", "100 Mbit/s, 0.2 ms for a round trip", Duration.ofNanos(200_000), 100_000_000),
    /** The loopback interface as it is. */
    LOOPBACK("loopback", "loopback, without a limit", Duration.ZERO, 0);

    private static final int BITS_PER_BYTE = 8;

    private final String label;
    private final String description;
    private final Duration roundTrip;
    private final long bitsPerSecond;

    TransitLink(String label, String description, Duration roundTrip, long bitsPerSecond) {
        this.label = label;
        this.description = description;
        this.roundTrip = roundTrip;
        this.bitsPerSecond = bitsPerSecond;
    }

    static TransitLink labelled(String label) {
        return Arrays.stream(values())
                .filter(link -> link.label.equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("link: %s (expected: one of %s)"
                        .formatted(
                                label,
                                Arrays.stream(values()).map(TransitLink::label).toList())));
    }

    /** Returns the name in results. */
    public String label() {
        return label;
    }

    /** Returns the rate and the delay. */
    public String description() {
        return description;
    }

    /** Opens the link to a port; returns {@code null} if the link has no limit, so that peers connect directly. */
    @Nullable
    DelayProxy open(int port) throws IOException {
        if (bitsPerSecond == 0) {
            return null;
        }
        DelayProxy proxy = DelayProxy.open(roundTrip, bitsPerSecond / BITS_PER_BYTE);
        proxy.target(port);
        return proxy;
    }
}
