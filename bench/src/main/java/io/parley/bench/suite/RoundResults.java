package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import io.parley.bench.worker.WaitMode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** Collects the values of all rounds of an experiment and creates its figures. */
final class RoundResults {

    private static final List<String> WAIT_MODES =
            Stream.of(WaitMode.values()).map(WaitMode::label).toList();

    private final Map<Key, Map<Integer, Entry>> entries = new LinkedHashMap<>();

    /** Adds one measurement; ignores the warm-up round 0. */
    void add(int round, Key key, Entry entry) {
        if (round > 0) {
            entries.computeIfAbsent(key, unused -> new TreeMap<>()).put(round, entry);
        }
    }

    /** Returns one figure for each key, sorted by size and then by the order of the contenders. */
    List<Figure> figures(List<Contender> contenders) {
        Map<String, List<String>> comparators = new LinkedHashMap<>();
        contenders.forEach(contender -> comparators.put(contender.name(), contender.comparators()));
        return figures(comparators);
    }

    /**
     * Returns one figure for each key, sorted by size and then by the order of the contenders.
     *
     * @param comparators the names of the contenders, in order, with those that each is compared with
     */
    List<Figure> figures(Map<String, List<String>> comparators) {
        List<Figure> figures = new ArrayList<>();
        for (int bytes :
                entries.keySet().stream().map(Key::bytes).distinct().sorted().toList()) {
            comparators.forEach((contender, others) -> entries.keySet().stream()
                    .filter(key -> key.bytes() == bytes && key.contender().equals(contender))
                    .map(key -> figure(key, others))
                    .forEach(figures::add));
        }
        return figures;
    }

    private Figure figure(Key key, List<String> comparators) {
        Collection<Entry> rounds = rounds(key).values();
        Map<String, Spread> parts = new LinkedHashMap<>();
        for (String part : rounds.iterator().next().parts().keySet()) {
            parts.put(
                    part,
                    Spread.of(rounds.stream().map(entry -> part(entry, part)).toList()));
        }
        Map<String, Spread> ratios = new LinkedHashMap<>();
        Map<String, Spread> cpuRatios = new LinkedHashMap<>();
        for (String comparator : comparators) {
            ratio(key, comparator, Entry::value).ifPresent(ratio -> ratios.put(comparator, ratio));
            ratio(key, comparator, entry -> part(entry, CpuCost.BOTH_SIDES))
                    .ifPresent(ratio -> cpuRatios.put(comparator, ratio));
        }
        return new Figure(
                key.contender(),
                key.form(),
                key.bytes(),
                Spread.of(rounds.stream().map(Entry::value).toList()),
                parts,
                rounds.stream().mapToLong(Entry::samples).sum(),
                ratios,
                cpuRatios);
    }

    private static double part(Entry entry, String part) {
        Double value = entry.parts().get(part);
        return value == null ? Double.NaN : value;
    }

    /** Returns the ratio, calculated round by round. Influences that slow down a whole round therefore cancel out. */
    private Optional<Spread> ratio(Key key, String comparator, ToDoubleFunction<Entry> value) {
        List<Double> ratios = new ArrayList<>();
        Map<Integer, Entry> otherRounds = comparable(key, comparator);
        rounds(key).forEach((round, entry) -> {
            Entry other = otherRounds.get(round);
            if (other != null && value.applyAsDouble(other) > 0) {
                ratios.add(value.applyAsDouble(entry) / value.applyAsDouble(other));
            }
        });
        return ratios.isEmpty() ? Optional.empty() : Optional.of(Spread.of(ratios));
    }

    /** Returns the rounds of the comparator in the same form; if it has only one wait mode, in that one. */
    private Map<Integer, Entry> comparable(Key key, String comparator) {
        Map<Integer, Entry> same = rounds(new Key(comparator, key.form(), key.bytes()));
        if (!same.isEmpty() || !WAIT_MODES.contains(key.form())) {
            return same;
        }
        return WAIT_MODES.stream()
                .map(form -> rounds(new Key(comparator, form, key.bytes())))
                .filter(other -> !other.isEmpty())
                .findFirst()
                .orElse(Map.of());
    }

    private Map<Integer, Entry> rounds(Key key) {
        return entries.getOrDefault(key, Map.of());
    }

    /** The contender, form and message size of a measurement. */
    record Key(String contender, String form, int bytes) {}

    /** The result of one round. */
    record Entry(double value, Map<String, Double> parts, long samples) {}
}
