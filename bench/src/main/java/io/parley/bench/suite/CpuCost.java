package io.parley.bench.suite;

import io.parley.bench.worker.CpuTime;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.WorkerException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** The processor time of a turn, as parts of its result: of both processes together and of each. */
final class CpuCost {

    /** The part with the time of both processes per message or round trip. */
    static final String BOTH_SIDES = "cpu";

    /** The sentence for the method of an experiment with these parts. */
    static final String METHOD = " cpu: processor time of both processes, with all of their threads.";

    private static final String CONNECTING_SIDE = "cpu, connecting side";
    private static final String SERVING_SIDE = "cpu, serving side";
    private static final String BUSY_CONNECTING_SIDE = "busy, connecting side";
    private static final String BUSY_SERVING_SIDE = "busy, serving side";

    private final CpuTime time;

    private CpuCost(CpuTime time) {
        this.time = time;
    }

    /** Returns the cost from {@code start}, an earlier reading, until now. */
    static CpuCost since(CpuTime start, ProcessPair pair) throws WorkerException, InterruptedException {
        return of(pair.cpuTime().since(start));
    }

    /** Returns the cost of {@code time}. */
    static CpuCost of(CpuTime time) {
        return new CpuCost(time);
    }

    /** Returns the unit of each part, for {@link io.parley.bench.result.Experiment#partUnits}. */
    static Map<String, String> units(String unit) {
        Map<String, String> units = new LinkedHashMap<>();
        units.put(BOTH_SIDES, unit);
        units.put(CONNECTING_SIDE, unit);
        units.put(SERVING_SIDE, unit);
        return units;
    }

    /** Returns the unit of each part that {@link #utilization} returns. */
    static Map<String, String> utilizationUnits() {
        String unit = "% of a processor";
        return Map.of(BUSY_CONNECTING_SIDE, unit, BUSY_SERVING_SIDE, unit);
    }

    /** Returns the shares of a processor that both processes used, as parts. */
    Map<String, Double> utilization(Duration elapsed) {
        double percent = elapsed.toNanos() / 100.0;
        Map<String, Double> parts = new LinkedHashMap<>();
        parts.put(BUSY_CONNECTING_SIDE, time.connectingNanos() / percent);
        parts.put(BUSY_SERVING_SIDE, time.servingNanos() / percent);
        return parts;
    }

    /**
     * Returns the parts.
     *
     * @param messages the messages or round trips of the turn
     * @param unitNanos the length of the unit of the parts, in nanoseconds
     */
    Map<String, Double> parts(long messages, double unitNanos) {
        double divisor = messages * unitNanos;
        Map<String, Double> parts = new LinkedHashMap<>();
        parts.put(BOTH_SIDES, time.totalNanos() / divisor);
        parts.put(CONNECTING_SIDE, time.connectingNanos() / divisor);
        parts.put(SERVING_SIDE, time.servingNanos() / divisor);
        return parts;
    }
}
