package io.parley.codec.compress.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The bits that followed a context: how many zeros and ones, and the last one. Large numbers are not exact, and a bit
 * reduces a large number of the other ones, because recent bits predict better (Mahoney: Adaptive Weighing of Context Models for Lossless Data
 * Compression, 2005). A history is a number below {@link #COUNT}; 0 is the history without bits.
 */
final class BitHistory {

    private static final int MAX_COUNT = 40;

    /** The largest count if there is a bit of the other kind. */
    private static final int MAX_MIXED_COUNT = 10;

    private record Counts(int zeros, int ones, int last) {

        Counts next(int bit) {
            return bit == 0
                    ? new Counts(more(zeros, ones), less(ones), 0)
                    : new Counts(less(zeros), more(ones, zeros), 1);
        }

        private static int more(int count, int others) {
            return Math.min(count + 1, others == 0 ? MAX_COUNT : MAX_MIXED_COUNT);
        }

        private static int less(int count) {
            return count <= 2 ? count : Integer.SIZE + 1 - Integer.numberOfLeadingZeros(count);
        }
    }

    private static final List<Counts> HISTORIES = new ArrayList<>(List.of(new Counts(0, 0, 0)));
    private static final short[] NEXT = transitions();

    /** The number of histories. */
    static final int COUNT = HISTORIES.size();

    private BitHistory() {}

    private static short[] transitions() {
        Map<Counts, Integer> numbers = new HashMap<>(Map.of(HISTORIES.get(0), 0));
        List<Integer> next = new ArrayList<>();
        for (int i = 0; i < HISTORIES.size(); i++) {
            for (int bit = 0; bit < 2; bit++) {
                Counts following = HISTORIES.get(i).next(bit);
                Integer number = numbers.get(following);
                if (number == null) {
                    number = HISTORIES.size();
                    numbers.put(following, number);
                    HISTORIES.add(following);
                }
                next.add(number);
            }
        }
        short[] table = new short[next.size()];
        for (int i = 0; i < table.length; i++) {
            table[i] = next.get(i).shortValue();
        }
        return table;
    }

    /** Returns the history with another bit. */
    static short next(int history, int bit) {
        return NEXT[2 * history + bit];
    }

    static int zeros(int history) {
        return HISTORIES.get(history).zeros();
    }

    static int ones(int history) {
        return HISTORIES.get(history).ones();
    }
}
