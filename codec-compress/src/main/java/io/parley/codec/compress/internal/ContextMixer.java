package io.parley.codec.compress.internal;

import java.util.Arrays;

/**
 * Codes symbols of 8 bits. Each of several contexts predicts the next bit by what followed it before; the predictions are mixed with
 * weights, which are trained by each bit (Mahoney, PAQ and lpaq). All machines predict the same: numbers are
 * integers, and the tables are made from logarithms of {@link StrictMath}.
 *
 * <p>A context is a number, usually a hash. The histories of the bits of half a symbol are together in a row of a table, so that they are
 * in one line of the processor's cache.
 */
final class ContextMixer {

    /** The first entry of a row is the check of its context; those of the bits follow, by the bits of the half symbol before. */
    private static final int ROW = 16;

    /** Predictions are mixed as logarithms of odds: 1 is a factor of e to the power of 12 / 2047. */
    private static final int MAX_STRETCHED = 2047;

    private static final double STRETCHED_ONE = MAX_STRETCHED / 12.0;
    private static final int PROBABILITY_BITS = 22;
    private static final int COUNT_MASK = (1 << (Integer.SIZE - PROBABILITY_BITS)) - 1;
    private static final int MAX_COUNT = 1000;

    /** A prediction begins as if it had been right this often. */
    private static final int FIRST_COUNT = 15;

    /** The tenths that are added to the numbers of zeros and of ones, which gives the first prediction of a history. */
    private static final int TENTHS_UNSEEN = 2;

    private static final int FIRST_WEIGHT = 14_000;

    /** The first probability of a flag. */
    private static final int FIRST_FLAG = 62_000;

    private static final int MAX_WEIGHT = 1 << 19;
    private static final int TRAINING_RATE = 12;
    private static final int MIN_PROBABILITY = 24;

    private static final short[] STRETCHED = stretched();
    private static final int[] SQUASHED = squashed();
    private static final int[] ADAPTATION = adaptation();
    private static final int[] FIRST_PREDICTIONS = firstPredictions();

    private final int contextCount;
    private final int rowBits;
    private final short[] histories;
    private final int[] predictions;
    private final int[] weights;
    private final int[] flags;
    private final int[] rows;
    private final int[] stretched;
    private final int[] predicting;
    private BitCoder coder;

    /**
     * Creates a mixer.
     *
     * @param contexts  the number of contexts of a symbol
     * @param tableBits the logarithm of the number of histories for each context
     * @param kinds     the number of kinds of symbols
     * @param flagKinds the number of kinds of flags
     */
    ContextMixer(BitCoder coder, int contexts, int tableBits, int kinds, int flagKinds) {
        this.coder = coder;
        contextCount = contexts;
        rowBits = tableBits;
        histories = new short[contexts << tableBits];
        predictions = new int[kinds * contexts * BitHistory.COUNT];
        for (int i = 0; i < kinds * contexts; i++) {
            System.arraycopy(FIRST_PREDICTIONS, 0, predictions, i * BitHistory.COUNT, BitHistory.COUNT);
        }
        weights = new int[kinds * contexts];
        Arrays.fill(weights, FIRST_WEIGHT);
        flags = new int[flagKinds];
        Arrays.fill(flags, FIRST_FLAG);
        rows = new int[contexts];
        stretched = new int[contexts];
        predicting = new int[contexts];
    }

    /** Codes what follows with another coder. */
    void use(BitCoder newCoder) {
        coder = newCoder;
    }

    /** Codes a bit that has no context but its kind, and returns it. */
    int flag(int bit, int kind) {
        int probability = flags[kind];
        int coded = coder.code(bit, Math.max(MIN_PROBABILITY, Math.min((1 << 16) - MIN_PROBABILITY, probability)));
        flags[kind] += ((coded << 16) - probability) >> 4;
        return coded;
    }

    /**
     * Codes a symbol, and returns it.
     *
     * @param contexts a number for each context
     */
    int code(int symbol, int[] contexts, int kind) {
        selectRows(contexts, 0);
        int high = half(symbol >>> 4, kind);
        selectRows(contexts, ROW + high);
        return (high << 4) | half(symbol & 15, kind);
    }

    private void selectRows(int[] contexts, int half) {
        int salt = half * 0x2545F491;
        for (int i = 0; i < contextCount; i++) {
            int hash = (contexts[i] + salt) * 0x9E3779B1;
            int row = (i << rowBits) + ((hash >>> (Integer.SIZE - rowBits)) & -ROW);
            short check = (short) (hash | 1);
            if (histories[row] != check) {
                Arrays.fill(histories, row + 1, row + ROW, (short) 0);
                histories[row] = check;
            }
            rows[i] = row;
        }
    }

    private int half(int bits, int kind) {
        int node = 1;
        for (int shift = 3; shift >= 0; shift--) {
            int probability = mix(node, kind);
            int bit = coder.code((bits >>> shift) & 1, probability);
            train(bit, probability, node, kind);
            node = (node << 1) | bit;
        }
        return node & 15;
    }

    /** Returns the probability of a 1, in 65,536ths. */
    private int mix(int node, int kind) {
        int firstWeight = kind * contextCount;
        int sum = 0;
        for (int i = 0; i < contextCount; i++) {
            int prediction = (firstWeight + i) * BitHistory.COUNT + histories[rows[i] + node];
            predicting[i] = prediction;
            int input = STRETCHED[predictions[prediction] >>> (Integer.SIZE - 12)];
            stretched[i] = input;
            sum += (input * weights[firstWeight + i]) >> 8;
        }
        return SQUASHED[Math.max(-MAX_STRETCHED, Math.min(MAX_STRETCHED, sum >> 8)) + MAX_STRETCHED];
    }

    private void train(int bit, int probability, int node, int kind) {
        int firstWeight = kind * contextCount;
        int error = (((bit << 16) - probability) >> 4) * TRAINING_RATE;
        int target = bit == 1 ? (1 << PROBABILITY_BITS) - 1 : 0;
        for (int i = 0; i < contextCount; i++) {
            int weight = weights[firstWeight + i] + ((stretched[i] * error + (1 << 13)) >> 14);
            weights[firstWeight + i] = Math.max(-MAX_WEIGHT, Math.min(MAX_WEIGHT, weight));
            int prediction = predictions[predicting[i]];
            int count = prediction & COUNT_MASK;
            int predicted = prediction >>> (Integer.SIZE - PROBABILITY_BITS);
            predicted += (((target - predicted) >> 5) * ADAPTATION[count]) >> 8;
            predictions[predicting[i]] =
                    (predicted << (Integer.SIZE - PROBABILITY_BITS)) | (count < MAX_COUNT ? count + 1 : count);
            int history = rows[i] + node;
            histories[history] = BitHistory.next(histories[history], bit);
        }
    }

    private static short[] stretched() {
        short[] table = new short[1 << 12];
        for (int i = 0; i < table.length; i++) {
            double probability = (i + 0.5) / table.length;
            table[i] = (short) Math.round(STRETCHED_ONE * StrictMath.log(probability / (1 - probability)));
        }
        return table;
    }

    private static int[] squashed() {
        int[] table = new int[2 * MAX_STRETCHED + 1];
        for (int i = 0; i < table.length; i++) {
            double probability = 1 / (1 + StrictMath.exp((MAX_STRETCHED - i) / STRETCHED_ONE));
            long rounded = Math.round((1 << 16) * probability);
            table[i] = (int) Math.max(MIN_PROBABILITY, Math.min((1 << 16) - MIN_PROBABILITY, rounded));
        }
        return table;
    }

    /** The part of an error by which a prediction changes, for each number of bits that it has predicted. */
    private static int[] adaptation() {
        int[] table = new int[MAX_COUNT + 1];
        for (int i = 0; i < table.length; i++) {
            table[i] = (int) ((1 << 13) / (i + 1.5));
        }
        return table;
    }

    private static int[] firstPredictions() {
        int[] table = new int[BitHistory.COUNT];
        for (int i = 0; i < table.length; i++) {
            long ones = 10L * BitHistory.ones(i) + TENTHS_UNSEEN;
            long all = ones + 10L * BitHistory.zeros(i) + TENTHS_UNSEEN;
            int probability = (int) ((ones << PROBABILITY_BITS) / all);
            table[i] = (probability << (Integer.SIZE - PROBABILITY_BITS)) | FIRST_COUNT;
        }
        return table;
    }
}
