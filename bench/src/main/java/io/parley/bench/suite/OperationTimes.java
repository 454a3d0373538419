package io.parley.bench.suite;

import io.parley.bench.operation.Operation;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects how long the operations of peers took, in milliseconds. */
final class OperationTimes {

    /** All but the end. */
    static final String SUM = "start to first message";

    /** The end among them. */
    static final String ALL = "all ten";

    private final Map<String, Map<String, List<Double>>> times = new LinkedHashMap<>();

    void add(String contender, Map<Operation, Double> life) {
        double sum = 0;
        for (Map.Entry<Operation, Double> operation : life.entrySet()) {
            note(operation.getKey().label(), contender, operation.getValue());
            sum += operation.getKey() == Operation.SHUT_DOWN ? 0 : operation.getValue();
        }
        if (life.containsKey(Operation.FIRST_MESSAGE)) {
            note(SUM, contender, sum);
        }
        if (life.size() == Operation.values().length) {
            note(ALL, contender, sum + life.getOrDefault(Operation.SHUT_DOWN, 0.0));
        }
    }

    private void note(String operation, String contender, double millis) {
        times.computeIfAbsent(operation, unused -> new LinkedHashMap<>())
                .computeIfAbsent(contender, unused -> new ArrayList<>())
                .add(millis);
    }

    /** One for each contender and operation. */
    List<Figure> figures() {
        return times.keySet().stream()
                .flatMap(operation -> figures(operation).stream())
                .toList();
    }

    /** One for each contender. */
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
