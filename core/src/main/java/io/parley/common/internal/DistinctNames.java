package io.parley.common.internal;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Bounds the distinct names of one document for a parser whose symbol table compares the names of one hash one by one. The
 * parser has a random seed, but names of one length that begin with the same character and have the same
 * {@link String#hashCode} collide with every seed. Each use of such a name takes time in proportion to their number. Not
 * thread-safe.
 */
public final class DistinctNames {

    /** The maximum number of names with the same hash code. Among names that are not chosen for it, two are rare. */
    public static final int MAX_COLLIDING = 32;

    private final int max;
    private final Supplier<String> place;
    private final Set<String> names = new HashSet<>();
    private final Map<Integer, Integer> countByHash = new HashMap<>();

    /**
     * Creates an empty set.
     *
     * @param max   the maximum number of names
     * @param place returns the document, or a position in it, for exceptions
     */
    public DistinctNames(int max, Supplier<String> place) {
        this.max = max;
        this.place = place;
    }

    /**
     * Adds a name.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#LIMIT_EXCEEDED}
     */
    public void add(String name) {
        if (!names.add(name)) {
            return;
        }
        if (names.size() > max) {
            throw overLimit("distinct names: " + names.size(), max);
        }
        if (countByHash.isEmpty() && names.size() <= MAX_COLLIDING) {
            return; // most documents have few names
        }
        if (countByHash.isEmpty()) {
            names.forEach(this::count);
        } else {
            count(name);
        }
    }

    private void count(String name) {
        if (countByHash.merge(name.hashCode(), 1, Integer::sum) > MAX_COLLIDING) {
            throw overLimit("distinct names of one hash: more than " + MAX_COLLIDING, MAX_COLLIDING);
        }
    }

    private ParleyException overLimit(String found, int limit) {
        return ErrorCode.LIMIT_EXCEEDED.exception(place.get() + ": " + found + " (expected: <= " + limit + ")");
    }
}
