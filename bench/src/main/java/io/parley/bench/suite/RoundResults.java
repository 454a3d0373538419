package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Collects the values of all rounds of an experiment and makes figures of them. */
final class RoundResults {

    private final Map<Key, Map<Integer, Entry>> entries = new LinkedHashMap<>();

    /** Notes one measurement; the warm-up round 0 is left out. */
    void note(int round, Key key, Entry entry) {
        if (round > 0) {
            entries.computeIfAbsent(key, unused -> new TreeMap<>()).put(round, entry);
        }
    }

    /** One figure for each key, by size, then in the order of the contenders. */
    List<Figure> figures(List<Contender> contenders) {
        List<Figure> figures = new ArrayList<>();
        for (int bytes :
                entries.keySet().stream().map(Key::bytes).distinct().sorted().toList()) {
            for (Contender contender : contenders) {
                entries.keySet().stream()
                        .filter(key -> key.bytes() == bytes && key.contender().equals(contender.name()))
                        .map(key -> figure(key, contender.comparators()))
                        .forEach(figures::add);
            }
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
        for (String comparator : comparators) {
            ratio(key, comparator).ifPresent(ratio -> ratios.put(comparator, ratio));
        }
        return new Figure(
                key.contender(),
                key.form(),
                key.bytes(),
                Spread.of(rounds.stream().map(Entry::value).toList()),
                parts,
                rounds.stream().mapToLong(Entry::samples).sum(),
                ratios);
    }

    private static double part(Entry entry, String part) {
        Double value = entry.parts().get(part);
        return value == null ? Double.NaN : value;
    }

    /** Round by round, so that what slowed a whole round down cancels out. */
    private Optional<Spread> ratio(Key key, String comparator) {
        List<Double> ratios = new ArrayList<>();
        Map<Integer, Entry> theirs = comparable(key, comparator);
        rounds(key).forEach((round, mine) -> {
            Entry their = theirs.get(round);
            if (their != null && their.value() > 0) {
                ratios.add(mine.value() / their.value());
            }
        });
        return ratios.isEmpty() ? Optional.empty() : Optional.of(Spread.of(ratios));
    }

    /** The comparator's rounds in the same form, or in the only form that it has. */
    private Map<Integer, Entry> comparable(Key key, String comparator) {
        Map<Integer, Entry> same = rounds(new Key(comparator, key.form(), key.bytes()));
        if (!same.isEmpty()) {
            return same;
        }
        return entries.entrySet().stream()
                .filter(other -> other.getKey().contender().equals(comparator)
                        && other.getKey().bytes() == key.bytes())
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(Map.of());
    }

    private Map<Integer, Entry> rounds(Key key) {
        return entries.getOrDefault(key, Map.of());
    }

    /** What was measured. */
    record Key(String contender, String form, int bytes) {}

    /** One round's outcome. */
    record Entry(double value, Map<String, Double> parts, long samples) {}
}
