package io.parley.endpoint.internal.messenger;

import java.util.Collection;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A queue whose entries contain their links, so that any of them is found and removed in constant time. A remote peer can cause the
 * removal of each entry. Not thread-safe.
 *
 * @param <E> the entries; each is in at most one queue at a time
 */
public final class LinkedQueue<E extends LinkedQueue.Entry<E>> {

    /** The links of an entry, which only its queue changes. */
    abstract static class Entry<E extends Entry<E>> {

        /** The queue that contains the entry. */
        @Nullable
        LinkedQueue<E> container;

        @Nullable
        E previous;

        @Nullable
        E next;
    }

    private @Nullable E first;
    private @Nullable E last;
    private int size;

    public boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    public boolean contains(E entry) {
        return entry.container == this;
    }

    /** Returns the first entry, or null. */
    @Nullable
    E peek() {
        return first;
    }

    /** Adds an entry at the end. It must not be in a queue. */
    public void add(E entry) {
        insert(entry, last, null);
    }

    /** Adds an entry at the beginning. It must not be in a queue. */
    void addFirst(E entry) {
        insert(entry, null, first);
    }

    private void insert(E entry, @Nullable E before, @Nullable E after) {
        if (entry.container != null) {
            throw new IllegalStateException("entry: in a queue already");
        }
        entry.container = this;
        entry.previous = before;
        entry.next = after;
        link(before, entry);
        linkBack(after, entry);
        size++;
    }

    /** Removes and returns the first entry, or null. */
    @Nullable
    public E poll() {
        E removed = first;
        if (removed != null) {
            remove(removed);
        }
        return removed;
    }

    /** Removes and returns the last entry, or null. */
    @Nullable
    E pollLast() {
        E removed = last;
        if (removed != null) {
            remove(removed);
        }
        return removed;
    }

    /** Removes an entry. Returns false if it is not in this queue. */
    public boolean remove(E entry) {
        if (entry.container != this) {
            return false;
        }
        E before = entry.previous;
        E after = entry.next;
        link(before, after);
        linkBack(after, before);
        entry.container = null;
        entry.previous = null;
        entry.next = null;
        size--;
        return true;
    }

    /** Removes the entries for which the condition is true. */
    public void removeIf(Predicate<E> condition) {
        for (E entry = first; entry != null; ) {
            E next = entry.next;
            if (condition.test(entry)) {
                remove(entry);
            }
            entry = next;
        }
    }

    /** Moves the entries to the end of a collection, in their order. */
    void drainTo(Collection<E> target) {
        for (E entry = poll(); entry != null; entry = poll()) {
            target.add(entry);
        }
    }

    public void clear() {
        while (poll() != null) {
            // Each entry may be in another queue from now on.
        }
    }

    private void link(@Nullable E before, @Nullable E after) {
        if (before == null) {
            first = after;
        } else {
            before.next = after;
        }
    }

    private void linkBack(@Nullable E after, @Nullable E before) {
        if (after == null) {
            last = before;
        } else {
            after.previous = before;
        }
    }
}
