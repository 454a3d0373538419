package io.parley.codec.internal;

/** The constants of both wire versions. All integers are big-endian. */
final class BinaryFormat {
    /** "jxmg", the start of every message. */
    static final int MESSAGE_MAGIC = 0x6A786D67;
    /** "jxel", the start of every element and signature. */
    static final int ELEMENT_MAGIC = 0x6A78656C;

    static final int VERSION_0 = 0;
    static final int VERSION_1 = 1;

    /** The implicit namespaces, which no message lists, by id. */
    static final String NAMESPACE_0 = "";

    static final String NAMESPACE_1 = "jxta";
    /** The id of the first namespace or string that a message lists. */
    static final int FIRST_LISTED_ID = 2;

    private BinaryFormat() {}
}
