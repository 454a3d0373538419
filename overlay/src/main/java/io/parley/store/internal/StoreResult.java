package io.parley.store.internal;

import io.parley.store.StoreLimits;
import java.util.List;

/**
 * What was found.
 *
 * @param entries  each entry once, in no order that means anything
 * @param complete whether that is all there is. If not, the limit or {@link StoreLimits#maxScannedRows} ended the search
 */
public record StoreResult(List<StoreEntry> entries, boolean complete) {

    /** Copies the list. */
    public StoreResult {
        entries = List.copyOf(entries);
    }
}
