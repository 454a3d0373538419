package io.parley.discovery.internal;

import java.util.List;
import java.util.OptionalInt;

/**
 * A part of the results of a query. The documents have not been verified.
 *
 * @param documents matching signed advertisements as bytes, and, in any position, peer advertisements of their publishers; must not
 *     be modified
 * @param next      the offset of the next page; empty at the end
 * @param hops      number of peers that the query passed, including the rendezvous of the querying peer
 */
public record IndexPage(List<byte[]> documents, OptionalInt next, int hops) {

    /** Copies the list. */
    public IndexPage {
        documents = List.copyOf(documents);
    }
}
