package io.parley.codec.xml.internal;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Counts the distinct namespaces of one message, except the empty one and {@code jxta}. */
final class NamespaceCounter {
    private static final String JXTA = "jxta";

    private static final int MAX_RETAINED = 16;

    /** Created for the first counted namespace, because most messages have none. */
    private @Nullable Set<String> seen;

    private String latest = "";

    /** Resets the count to zero. */
    void clear() {
        latest = "";
        if (seen != null && !seen.isEmpty()) {
            if (seen.size() > MAX_RETAINED) {
                seen = null;
            } else {
                seen.clear();
            }
        }
    }

    /** Counts a namespace and returns the number of distinct ones. */
    int add(String namespace) {
        // Adjacent elements usually share a namespace.
        if (!namespace.equals(latest)) {
            latest = namespace;
            if (!namespace.isEmpty() && !namespace.equals(JXTA)) {
                addCounted(namespace);
            }
        }
        return seen == null ? 0 : seen.size();
    }

    private void addCounted(String namespace) {
        if (seen == null) {
            seen = new HashSet<>();
        }
        seen.add(namespace);
    }
}
