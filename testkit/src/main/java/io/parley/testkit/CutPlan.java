package io.parley.testkit;

import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The places at which a {@link CuttingProxy} cuts connections: after numbers of forwarded bytes that a seed determines, counted over
 * all connections and both directions. Thread-safe.
 */
public final class CutPlan {

    /** The way in which a connection is cut. */
    public enum Kind {
        /** Both ends get a RST. Bytes that are in a kernel are lost. */
        RESET,
        /** Nothing is read and nothing is written any more: the buffers of the kernel become full. Neither end gets a FIN. */
        STALL,
        /** The proxy drops the bytes that it reads: an end that writes finds no fault. Neither end gets a FIN. */
        SWALLOW
    }

    /**
     * A cut.
     *
     * @param forwarded the bytes of the present read that are forwarded before the cut
     * @param moves     whether the server of the connection gets a new address
     */
    record Cut(Kind kind, int forwarded, boolean moves) {}

    /** One cut in this number comes early: in the TLS handshake, or in the first frames of the next connection. */
    private static final int EARLY_ONE_OF = 6;

    private static final int EARLY_BYTES = 6_000;
    private static final int MOVES_ONE_OF = 4;

    private final Random random;
    private final long meanBytes;
    private final int total;
    private final Map<Kind, Integer> made = new EnumMap<>(Kind.class);
    private int count;
    private int early;
    private int moves;
    private long untilNext;
    private boolean started;

    /**
     * Creates a plan, which cuts nothing before {@link #start}.
     *
     * @param total     the number of cuts
     * @param meanBytes the mean number of bytes from one cut to the next
     */
    public CutPlan(Random random, int total, long meanBytes) {
        this.random = random;
        this.total = total;
        this.meanBytes = meanBytes;
        drawNext();
    }

    private void drawNext() {
        boolean isEarly = count > 0 && random.nextInt(EARLY_ONE_OF) == 0;
        untilNext = 1 + (long) (random.nextDouble() * (isEarly ? EARLY_BYTES : 2 * meanBytes));
        if (isEarly && count < total) {
            early++;
        }
    }

    /** Begins to count bytes. */
    public synchronized void start() {
        started = true;
    }

    /** Counts bytes that were read. Returns the cut if there is one in these bytes; otherwise all are to be forwarded. */
    synchronized @Nullable Cut next(int bytes) {
        if (!started || count == total) {
            return null;
        }
        if (untilNext >= bytes) {
            untilNext -= bytes;
            return null;
        }
        int forwarded = (int) untilNext;
        Kind kind = count % 2 == 0 ? Kind.RESET : random.nextBoolean() ? Kind.STALL : Kind.SWALLOW;
        boolean isMove = random.nextInt(MOVES_ONE_OF) == 0;
        moves += isMove ? 1 : 0;
        made.merge(kind, 1, Integer::sum);
        count++;
        drawNext();
        return new Cut(kind, forwarded, isMove);
    }

    /** Returns whether all cuts were made. */
    public synchronized boolean isDone() {
        return count == total;
    }

    /** Returns the number of cuts of that kind. */
    public synchronized int count(Kind kind) {
        return made.getOrDefault(kind, 0);
    }

    @Override
    public synchronized String toString() {
        return count + " cuts (" + count(Kind.RESET) + " resets, " + (count(Kind.STALL) + count(Kind.SWALLOW))
                + " silences; " + early + " in handshakes, " + moves + " with a new address)";
    }
}
