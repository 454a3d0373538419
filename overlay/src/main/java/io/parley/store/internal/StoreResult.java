package io.parley.store.internal;

import io.parley.store.StoreLimits;
import java.util.List;

/**
 * The result of a search.
 *
 * @param entries  each entry once, in no particular order
 * @param complete whether these are all matches; otherwise the limit or {@link StoreLimits#maxScannedRows} ended the search
 */
public record StoreResult(List<StoreEntry> entries, boolean complete) {

    /** Copies the list. */
    public StoreResult {
        entries = List.copyOf(entries);
    }
}
