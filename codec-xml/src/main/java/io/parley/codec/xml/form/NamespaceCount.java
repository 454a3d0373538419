package io.parley.codec.xml.form;

import java.util.HashSet;
import java.util.Set;

/** Counts the distinct namespaces of one message, beyond the empty one and {@code jxta}. */
final class NamespaceCount {
    private static final String JXTA = "jxta";

    private static final int KEPT = 16;

    private Set<String> seen = new HashSet<>();
    private String latest = "";

    /** Begins anew. */
    void clear() {
        latest = "";
        if (seen.size() > KEPT) {
            seen = new HashSet<>();
        } else if (!seen.isEmpty()) {
            seen.clear();
        }
    }

    /** How many there are with this one. */
    int add(String namespace) {
        // Neighbours mostly share their namespace.
        if (!namespace.equals(latest)) {
            latest = namespace;
            if (!namespace.isEmpty() && !namespace.equals(JXTA)) {
                seen.add(namespace);
            }
        }
        return seen.size();
    }
}
