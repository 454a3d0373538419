package io.parley.codec;

/** The constants that both wire versions share. Integers are big-endian throughout. */
final class BinaryFormat {
    /** "jxmg", before every message. */
    static final int MESSAGE_MAGIC = 0x6A786D67;
    /** "jxel", before every element and signature. */
    static final int ELEMENT_MAGIC = 0x6A78656C;

    static final int VERSION_0 = 0;
    static final int VERSION_1 = 1;

    /** The namespaces that every message knows without listing them, at their ids. */
    static final String NAMESPACE_0 = "";

    static final String NAMESPACE_1 = "jxta";
    /** The id of the first namespace or string that the message lists itself. */
    static final int FIRST_LISTED_ID = 2;

    private BinaryFormat() {}
}
