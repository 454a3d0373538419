package io.parley.codec.compress.internal;

import org.jspecify.annotations.Nullable;

/** The kind of the nodes of a path. */
enum TreechopKind {
    ELEMENT(0, null),
    EMPTY_ELEMENT(1, null),
    ATTRIBUTE(2, null),

    /** An attribute whose value is between apostrophes. */
    APOSTROPHE_ATTRIBUTE(3, null),
    COMMENT(4, XmlSection.COMMENT),
    CDATA(5, XmlSection.CDATA),
    INSTRUCTION(6, XmlSection.INSTRUCTION);

    private static final TreechopKind[] KINDS = values();

    /** The number on the wire, which is the position of the kind here. */
    final int number;

    /** The section of the kind, or null. */
    final @Nullable XmlSection section;

    TreechopKind(int number, @Nullable XmlSection section) {
        this.number = number;
        this.section = section;
    }

    static TreechopKind of(XmlSection section) {
        return switch (section) {
            case COMMENT -> COMMENT;
            case CDATA -> CDATA;
            case INSTRUCTION -> INSTRUCTION;
        };
    }

    static TreechopKind of(int number) {
        if (number >= KINDS.length) {
            throw Malformed.because("unknown kind of node: " + number);
        }
        return KINDS[number];
    }

    boolean isElement() {
        return this == ELEMENT || this == EMPTY_ELEMENT;
    }
}
