package io.parley.group.internal.view;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A message between two members about their views.
 *
 * @param kind    what it is
 * @param hops    the number of further members to which {@link Kind#FORWARD_JOIN} is passed on; otherwise 0
 * @param entries as many as the kind has, at most {@link #MAX_ENTRIES}; the first one is that of the sender, except in {@link Kind#FORWARD_JOIN}, which has only that
 *     of the new member, and in messages without entries
 */
record ViewMessage(Kind kind, int hops, List<MemberEntry> entries) {

    /** The maximum number of entries of one message. */
    static final int MAX_ENTRIES = 8;

    /** The kinds. */
    enum Kind {
        /** From a new member to one that it has found. */
        JOIN(1, 1, 1),
        /** The same new member, passed on at random. */
        FORWARD_JOIN(2, 1, 1),
        /** Asks a member to become a neighbor if it has room. */
        NEIGHBOR(3, 1, 1),
        /** Asks a member to become a neighbor in any case, because the sender has too few. */
        URGENT_NEIGHBOR(4, 1, 1),
        /** Both are neighbors now. */
        ACCEPT(5, 1, 1),
        /** There is no room. */
        REFUSE(6, 0, 0),
        /** Both are no neighbors, or not any more. */
        DISCONNECT(7, 0, 0),
        /** From a neighbor: some members that it knows. */
        SHUFFLE(8, 1, MAX_ENTRIES),
        /** The response, with some other members. */
        SHUFFLE_RESPONSE(9, 1, MAX_ENTRIES),
        /** From a neighbor, so that each of the two notices when the other is lost or has restarted. */
        ALIVE(10, 0, 0);

        private final int code;
        private final int minEntries;
        private final int maxEntries;

        Kind(int code, int minEntries, int maxEntries) {
            this.code = code;
            this.minEntries = minEntries;
            this.maxEntries = maxEntries;
        }

        /** Returns the number on the wire. */
        int code() {
            return code;
        }

        /** Returns the minimum number of entries. */
        int minEntries() {
            return minEntries;
        }

        /** Returns the maximum number of entries. */
        int maxEntries() {
            return maxEntries;
        }

        static Optional<Kind> ofCode(int code) {
            return Arrays.stream(values()).filter(kind -> kind.code == code).findFirst();
        }
    }

    ViewMessage {
        entries = List.copyOf(entries);
    }

    static ViewMessage of(Kind kind) {
        return new ViewMessage(kind, 0, List.of());
    }

    static ViewMessage of(Kind kind, MemberEntry sender) {
        return new ViewMessage(kind, 0, List.of(sender));
    }
}
