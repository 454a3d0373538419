package io.parley.codec.xml.fastinfoset;

import io.parley.codec.xml.fastinfoset.FastInfosetFormat.Name;
import io.parley.codec.xml.internal.ElementHead;
import io.parley.codec.xml.internal.FormDecoder;
import io.parley.codec.xml.internal.QualifiedName;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads the start tags of the root and of the elements: the name and the attributes (C.3 and C.4). */
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

    /** Reads the start tag of the root and checks the version. Returns whether the root ends with its attributes. */
    boolean readRoot(int b) {
        boolean ended = readStart(b, Name.MESSAGE);
        form.checkVersion(version == null ? null : version.text());
        return ended;
    }

    /** Reads the start tag of an element. Returns whether the element ends with its attributes. */
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
                throw in.undefined("element name", nameOctet);
            }
        }
        Name found = vocabulary.elementName(nameOctet);
        if (found != expected) {
            throw in.malformed("element name: " + (found == null ? "unknown name" : text(found)) + " (expected: "
                    + text(expected) + ")");
        }
        return hasAttributes && readAttributes();
    }

    private boolean readAttributes() {
        while (true) {
            int b = in.u8("attribute");
            if (b >= 0x80) {
                if (!MarkupReader.isEnd(b)) {
                    throw in.undefined("attribute", b);
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
                return; // an unknown attribute with the name of an element
            }
        }
        if (before != null) {
            throw in.malformed("attribute " + text(attribute) + ": duplicate (expected: one)");
        }
    }

    /** Begins the element of the start tag that was read, and returns its head. */
    ElementHead beginElement() {
        if (name == null) {
            return form.beginElement((QualifiedName) null, null, null); // fails and names the missing attribute
        }
        ElementHead cached = name.cachedHead(type, encoding);
        if (cached != null) {
            form.beginElement(cached);
            return cached;
        }
        ElementHead head = form.beginElement(
                name.name(), type == null ? null : type.text(), encoding == null ? null : encoding.text());
        name.cacheHead(head, type, encoding);
        return head;
    }

    /** Releases the attribute values. */
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
