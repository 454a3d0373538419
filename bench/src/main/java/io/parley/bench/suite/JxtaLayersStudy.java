package io.parley.bench.suite;

import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import java.util.List;
import java.util.Map;

/**
 * The figures of <em>A practical example of convergence of P2P and grid computing</em> for the layers of JXTA 2.3.2 and 2.2.1, on networks
 * and machines of 2005.
 */
final class JxtaLayersStudy {

    static final String LATENCY_NOTE =
            "The figures of the paper (table 1) are for JXTA 2.3.2 and plain sockets on Gigabit Ethernet, by three JVMs of"
                    + " that time; shown is that of Sun 1.4.2.";

    static final String BUFFER_NOTE =
            "The figures of the paper (figure 2, text) are the peaks of JXTA 2.2.1 over all message sizes, on Myrinet, where"
                    + " plain sockets had about 155 MB/s.";

    /** The size at which the report shows peaks, which have none. */
    private static final int PEAK_BYTES = 64 << 10;

    private JxtaLayersStudy() {}

    /** Returns the latencies of a small message, in microseconds. */
    static List<Figure> latencies() {
        return List.of(
                figure("sockets, paper", 1, 45),
                figure("jxta-2.3 endpoint, paper", 1, 294),
                figure("jxta-2.3 pipe, paper", 1, 711),
                figure("jxta-2.3 socket, paper", 1, 977));
    }

    /** Returns the peaks of the throughput by the output buffer, in megabytes per second. */
    static List<Figure> buffers() {
        return List.of(
                figure("sockets, paper", PEAK_BYTES, 155),
                figure("jxta-2.2 16k, paper", PEAK_BYTES, 12),
                figure("jxta-2.2 512k, paper", PEAK_BYTES, 92));
    }

    private static Figure figure(String name, int bytes, double value) {
        return new Figure(name, "", bytes, new Spread(value, value, value), Map.of(), 0, Map.of());
    }
}
