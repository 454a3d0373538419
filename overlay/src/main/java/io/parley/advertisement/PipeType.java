package io.parley.advertisement;

/** What a pipe does with messages, by the names that JXTA has for it. */
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

    /** The name in documents. */
    public String jxtaName() {
        return jxtaName;
    }

    /**
     * The type of that name.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static PipeType ofJxtaName(String name) {
        for (PipeType type : values()) {
            if (type.jxtaName.equals(name)) {
                return type;
            }
        }
        throw new IllegalArgumentException(
                "Type: " + TextSanitizer.of(name) + " (expected: JxtaUnicast, JxtaUnicastSecure or JxtaPropagate)");
    }
}
