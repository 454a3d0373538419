package io.parley.codec.xml.internal;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Counts the distinct namespaces of one message, beyond the empty one and {@code jxta}. */
final class NamespaceCounter {
    private static final String JXTA = "jxta";

    private static final int KEPT = 16;

    /** Made with the first namespace that counts: most messages have none. */
    private @Nullable Set<String> seen;

    private String latest = "";

    /** Begins anew. */
    void clear() {
        latest = "";
        if (seen != null && !seen.isEmpty()) {
            if (seen.size() > KEPT) {
                seen = null;
            } else {
                seen.clear();
            }
        }
    }

    /** How many there are with this one. */
    int add(String namespace) {
        // Neighbours mostly share their namespace.
        if (!namespace.equals(latest)) {
            latest = namespace;
            if (!namespace.isEmpty() && !namespace.equals(JXTA)) {
                remember(namespace);
            }
        }
        return seen == null ? 0 : seen.size();
    }

    private void remember(String namespace) {
        if (seen == null) {
            seen = new HashSet<>();
        }
        seen.add(namespace);
    }
}
