package io.parley.discovery.internal;

import java.util.List;
import java.util.OptionalInt;

/**
 * A part of what an index has found. Nothing in it has been verified.
 *
 * @param documents signed advertisements as bytes that match, and, in any place, peer advertisements of their publishers; not to be changed
 * @param next      the offset to go on with; empty at the end
 * @param hops      how many peers the question has passed before it was answered, the asker's rendezvous being the first
 */
public record IndexPage(List<byte[]> documents, OptionalInt next, int hops) {

    /** Copies the list. */
    public IndexPage {
        documents = List.copyOf(documents);
    }
}
