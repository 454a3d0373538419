package io.parley.bench.suite;

import io.parley.bench.operation.Operation;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects the durations of peer operations, in milliseconds. */
final class OperationTimes {

    /** The form for the sum of the ten operations except shutdown. */
    static final String SUM = "start to first message";

    /** The form for the sum of the ten operations including shutdown. */
    static final String ALL = "all ten";

    private final Map<String, Map<String, List<Double>>> times = new LinkedHashMap<>();

    void add(String contender, Map<Operation, Double> durations) {
        double sum = 0;
        for (Map.Entry<Operation, Double> operation : durations.entrySet()) {
            add(operation.getKey().label(), contender, operation.getValue());
            boolean isSummed = operation.getKey().isInSums() && operation.getKey() != Operation.SHUT_DOWN;
            sum += isSummed ? operation.getValue() : 0;
        }
        if (durations.containsKey(Operation.FIRST_MESSAGE)) {
            add(SUM, contender, sum);
        }
        if (durations.size() == Operation.values().length) {
            add(ALL, contender, sum + durations.getOrDefault(Operation.SHUT_DOWN, 0.0));
        }
    }

    private void add(String operation, String contender, double millis) {
        times.computeIfAbsent(operation, unused -> new LinkedHashMap<>())
                .computeIfAbsent(contender, unused -> new ArrayList<>())
                .add(millis);
    }

    /** Returns one figure for each contender and operation. */
    List<Figure> figures() {
        return times.keySet().stream()
                .flatMap(operation -> figures(operation).stream())
                .toList();
    }

    /** Returns one figure for each contender: the sum without shutdown. */
    List<Figure> sums() {
        return figures(SUM);
    }

    private List<Figure> figures(String operation) {
        return times.getOrDefault(operation, Map.of()).entrySet().stream()
                .map(contender -> new Figure(
                        contender.getKey(),
                        operation,
                        0,
                        Spread.of(contender.getValue()),
                        Map.of(),
                        contender.getValue().size(),
                        Map.of()))
                .toList();
    }
}
