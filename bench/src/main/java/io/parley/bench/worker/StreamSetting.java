package io.parley.bench.worker;

import io.parley.bench.stream.StreamSite;
import java.util.ArrayList;
import java.util.List;

/**
 * The network and the heap of both processes of a stream contender.
 *
 * @param label the name in results and logs; empty for the default
 * @param host the address at which the server listens
 * @param servingPrefix the command in front of that of the serving process
 * @param connectingPrefix the command in front of that of the connecting process
 * @param heap the options of the JVM for its collector and heap
 */
public record StreamSetting(
        String label, String host, List<String> servingPrefix, List<String> connectingPrefix, List<String> heap) {

    /** Loopback, and the heap that the processes of all suites have. */
    public static final StreamSetting DEFAULT =
            new StreamSetting("", StreamSite.LOOPBACK, List.of(), List.of(), JvmCommand.DEFAULT_HEAP);

    /**
     * Returns a setting on loopback with another heap.
     *
     * @param size the size of the heap as in {@code -Xmx}
     * @param collector the collector as in {@code -XX:+UseSerialGC}, such as "Serial"
     */
    public static StreamSetting ofHeap(String size, String collector) {
        List<String> heap = new ArrayList<>(List.of("-Xms" + size, "-Xmx" + size));
        heap.add("-XX:+Use" + collector + "GC");
        return new StreamSetting(size + " " + collector, StreamSite.LOOPBACK, List.of(), List.of(), heap);
    }

    /** Returns whether it differs from the default by its heap. */
    public boolean isHeap() {
        return !heap.equals(JvmCommand.DEFAULT_HEAP);
    }
}
