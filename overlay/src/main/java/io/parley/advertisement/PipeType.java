package io.parley.advertisement;

import io.parley.common.internal.TextSanitizer;

/** The kind of delivery of a pipe, with JXTA's names. */
public enum PipeType {
    /** From one peer to another. */
    UNICAST("JxtaUnicast"),
    /** From one peer to another, encrypted end to end. */
    UNICAST_SECURE("JxtaUnicastSecure"),
    /** To all peers of the group that listen. */
    PROPAGATE("JxtaPropagate");

    private final String jxtaName;

    PipeType(String jxtaName) {
        this.jxtaName = jxtaName;
    }

    /** Returns the name in documents. */
    public String jxtaName() {
        return jxtaName;
    }

    /**
     * Returns the type with a JXTA name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static PipeType ofJxtaName(String name) {
        for (PipeType type : values()) {
            if (type.jxtaName.equals(name)) {
                return type;
            }
        }
        throw new IllegalArgumentException(
                "Type: " + TextSanitizer.quote(name) + " (expected: JxtaUnicast, JxtaUnicastSecure or JxtaPropagate)");
    }
}
