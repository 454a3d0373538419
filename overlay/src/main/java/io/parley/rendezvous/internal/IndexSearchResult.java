package io.parley.rendezvous.internal;

import java.util.List;

/**
 * A part of what an index has.
 *
 * @param documents what matches
 * @param peers     advertisements of their publishers, as far as they are known and there is room
 * @param more      whether there is more behind
 */
record IndexSearchResult(List<byte[]> documents, List<byte[]> peers, boolean more) {

    /** In one answer. */
    static final int MAX_DOCUMENTS = 100;

    /** The documents of one answer, unless it is one alone; and as much of both together, with a fourth more. */
    static final int MAX_BYTES = 192 << 10;

    static final int MAX_ALL_BYTES = 256 << 10;

    static final IndexSearchResult NOTHING = new IndexSearchResult(List.of(), List.of(), false);

    IndexSearchResult {
        documents = List.copyOf(documents);
        peers = List.copyOf(peers);
    }
}
