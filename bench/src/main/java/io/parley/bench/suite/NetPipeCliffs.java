package io.parley.bench.suite;

import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the greatest fall of the throughput from one block size to the next one, where that of the plain socket does not fall as far.
 */
final class NetPipeCliffs {

    /** A throughput below this part of that at the size before is a cliff. */
    static final double MIN_RATIO = 0.8;

    /** The part with the block size of the greatest fall. */
    static final String AT = "at";

    private NetPipeCliffs() {}

    /**
     * Returns one figure for each contender: the least ratio of the throughput at a size to that at the size before. A size at which the
     * throughput of the plain socket is below {@link #MIN_RATIO} of that before does not count. The ratio is 0 at a size at which only the
     * plain socket has a figure.
     *
     * @param throughput the figures of the throughput, medians over the rounds
     * @param plain the name of the plain socket, without whose figures there are none
     */
    static List<Figure> of(List<Figure> throughput, String plain) {
        Map<String, TreeMap<Integer, Figure>> curves = new LinkedHashMap<>();
        throughput.forEach(figure -> curves.computeIfAbsent(figure.contender(), name -> new TreeMap<>())
                .put(figure.bytes(), figure));
        TreeMap<Integer, Figure> reference = curves.getOrDefault(plain, new TreeMap<>());
        List<Figure> cliffs = new ArrayList<>();
        curves.forEach((name, curve) -> {
            if (!name.equals(plain)) {
                greatestFall(name, curve, reference).ifPresent(cliffs::add);
            }
        });
        return cliffs;
    }

    private static Optional<Figure> greatestFall(
            String name, NavigableMap<Integer, Figure> curve, NavigableMap<Integer, Figure> reference) {
        double least = Double.POSITIVE_INFINITY;
        int at = 0;
        int rounds = Integer.MAX_VALUE;
        for (Map.Entry<Integer, Figure> point : reference.entrySet()) {
            int size = point.getKey();
            Figure measured = curve.get(size);
            Double ratio = measured == null ? Double.valueOf(0) : ratio(curve, size);
            Double plain = ratio(reference, size);
            if (ratio == null || plain == null) {
                continue;
            }
            Figure counted = measured == null ? point.getValue() : measured;
            rounds = Math.min(rounds, counted.value().rounds());
            if (plain >= MIN_RATIO && ratio < least) {
                least = ratio;
                at = size;
            }
        }
        if (at == 0) {
            return Optional.empty();
        }
        Spread value = new Spread(least, least, least, rounds, null);
        return Optional.of(new Figure(name, "", 0, value, Map.of(AT, new Spread(at, at, at)), rounds, Map.of()));
    }

    /** Returns the ratio to the size before; {@code null} if there is none. */
    private static @Nullable Double ratio(NavigableMap<Integer, Figure> curve, int size) {
        Figure figure = curve.get(size);
        Map.Entry<Integer, Figure> before = curve.lowerEntry(size);
        return figure == null || before == null
                ? null
                : figure.value().median() / before.getValue().value().median();
    }
}
