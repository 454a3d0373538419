package io.parley.codec.xml.fastinfoset;

import io.parley.codec.xml.fastinfoset.FastInfosetFormat.Name;
import io.parley.codec.xml.internal.ElementHead;
import io.parley.codec.xml.internal.FormDecoder;
import io.parley.codec.xml.internal.QualifiedName;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads the starts of the root and of elements: a name and attributes (C.3 and C.4). */
final class StartTagReader {
    private final FastInfosetInput in;
    private final VocabularyReader vocabulary;
    private final FormDecoder form;

    private @Nullable AttributeValue version;
    private @Nullable AttributeValue name;
    private @Nullable AttributeValue type;
    private @Nullable AttributeValue encoding;

    StartTagReader(FastInfosetInput in, VocabularyReader vocabulary, FormDecoder form) {
        this.in = in;
        this.vocabulary = vocabulary;
        this.form = form;
    }

    /** Reads the root's start, and checks its version; whether the root has ended with it. */
    boolean readRoot(int b) {
        boolean ended = readStart(b, Name.MESSAGE);
        form.version(version == null ? null : version.text());
        return ended;
    }

    /** Reads an element's start; whether the element has ended with it. */
    boolean readElement(int b) {
        return readStart(b, Name.ELEMENT);
    }

    private boolean readStart(int b, Name expected) {
        release();
        boolean hasAttributes = (b & FastInfosetFormat.ATTRIBUTES_FLAG) != 0;
        int nameOctet = b & 0x3F;
        if (nameOctet == FastInfosetFormat.ELEMENT_NAMESPACES) {
            vocabulary.skipNamespaceAttributes();
            nameOctet = in.u8("element name");
            if (nameOctet > 0x3F) {
                throw in.unknown("element name", nameOctet);
            }
        }
        Name found = vocabulary.elementName(nameOctet);
        if (found != expected) {
            throw in.malformed("element name: " + (found == null ? "another name" : text(found)) + " (expected: "
                    + text(expected) + ")");
        }
        return hasAttributes && readAttributes();
    }

    private boolean readAttributes() {
        while (true) {
            int b = in.u8("attribute");
            if (b >= 0x80) {
                if (!MarkupReader.isEnd(b)) {
                    throw in.unknown("attribute", b);
                }
                return b == FastInfosetFormat.END_TWICE;
            }
            Name attribute = vocabulary.attributeName(b);
            AttributeValue value = vocabulary.attributeValue();
            if (attribute != null) {
                assign(attribute, value);
            }
        }
    }

    private void assign(Name attribute, AttributeValue value) {
        AttributeValue before;
        switch (attribute) {
            case NAME -> {
                before = name;
                name = value;
            }
            case TYPE -> {
                before = type;
                type = value;
            }
            case ENCODING -> {
                before = encoding;
                encoding = value;
            }
            case VERSION -> {
                before = version;
                version = value;
            }
            default -> {
                return; // an attribute that is called like an element: another one
            }
        }
        if (before != null) {
            throw in.malformed("attribute " + text(attribute) + ": twice");
        }
    }

    /** What the start that was read says of its element. */
    ElementHead head() {
        if (name == null) {
            return form.begin((QualifiedName) null, null, null); // which says what is missing
        }
        ElementHead known = name.head(type, encoding);
        if (known != null) {
            form.begin(known);
            return known;
        }
        ElementHead head =
                form.begin(name.name(), type == null ? null : type.text(), encoding == null ? null : encoding.text());
        name.keep(head, type, encoding);
        return head;
    }

    /** Lets the values go. */
    void release() {
        version = null;
        name = null;
        type = null;
        encoding = null;
    }

    private static String text(Name name) {
        return new String(name.utf8(), StandardCharsets.US_ASCII);
    }
}
