package io.parley.advertisement;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An element of an advertisement's document, with what JXTA makes of XML: names are taken literally, prefix included; text
 * has no white space at its ends; of text between children only the characters count, not the places. The attributes
 * {@code xmlns:jxta} and {@code xml:space}, which are written on each root, say nothing and don't appear here.
 *
 * @param name such as {@code jxta:PA} or {@code Name}
 * @param attributes by name, in the document's order
 * @param text without white space at its ends; empty when there is none
 * @param children in the document's order
 */
public record XmlElement(String name, Map<String, String> attributes, String text, List<XmlElement> children) {
    private static final Set<String> SAY_NOTHING = Set.of("xmlns:jxta", "xml:space");

    /**
     * Takes copies, and the text without white space at its ends. Fails with IllegalArgumentException when a name is none of
     * XML's, or a text has a character that XML can't carry.
     */
    public XmlElement {
        XmlTextValidator.checkName(name);
        attributes = checked(attributes);
        XmlTextValidator.checkText(name, text);
        text = text.trim();
        children = List.copyOf(children);
    }

    /** An element with nothing but text. */
    public static XmlElement ofText(String name, String text) {
        return new XmlElement(name, Map.of(), text, List.of());
    }

    /** An element with children. */
    public static XmlElement of(String name, XmlElement... children) {
        return new XmlElement(name, Map.of(), "", List.of(children));
    }

    /** To put together an element whose children may be missing. */
    public static Builder builder(String name) {
        return new Builder(name);
    }

    /** This element by another name. */
    public XmlElement withName(String newName) {
        return new XmlElement(newName, attributes, text, children);
    }

    /** The first child of that name. */
    public Optional<XmlElement> child(String childName) {
        return Optional.ofNullable(find(childName));
    }

    /** All children of that name, in order. */
    public List<XmlElement> children(String childName) {
        return children.stream().filter(child -> child.name.equals(childName)).toList();
    }

    /** The text of the first child of that name, or {@code null} when there is none or it is empty. */
    public @Nullable String textOf(String childName) {
        XmlElement child = find(childName);
        return child == null || child.text.isEmpty() ? null : child.text;
    }

    /**
     * The text of the first child of that name.
     *
     * @throws IllegalArgumentException when there is none or it is empty
     */
    public String requireText(String childName) {
        String found = textOf(childName);
        if (found == null) {
            throw new IllegalArgumentException(childName + ": missing (expected: in every " + name + ")");
        }
        return found;
    }

    /**
     * The id in the first child of that name, or {@code null} when there is none or it is empty.
     *
     * @throws IllegalArgumentException when there is a text that is no id
     */
    public @Nullable AdvertisementId idOf(String childName) {
        String found = textOf(childName);
        return found == null ? null : id(childName, found);
    }

    /**
     * The id in the first child of that name.
     *
     * @throws IllegalArgumentException when there is none or it is no id
     */
    public AdvertisementId requireId(String childName) {
        return id(childName, requireText(childName));
    }

    private static Map<String, String> checked(Map<String, String> attributes) {
        if (attributes.isEmpty()) {
            return Map.of();
        }
        Map<String, String> checked = new LinkedHashMap<>(attributes);
        checked.keySet().removeAll(SAY_NOTHING);
        checked.forEach((attribute, value) -> {
            XmlTextValidator.checkName(attribute);
            XmlTextValidator.checkText(attribute, value);
        });
        return Collections.unmodifiableMap(checked);
    }

    private static AdvertisementId id(String childName, String text) {
        try {
            return new AdvertisementId(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(childName + ": " + e.getMessage(), e);
        }
    }

    private @Nullable XmlElement find(String childName) {
        for (XmlElement child : children) {
            if (child.name.equals(childName)) {
                return child;
            }
        }
        return null;
    }

    /** Puts an element together. Used by one thread. */
    public static final class Builder {
        private final String name;
        private final Map<String, String> attributes = new LinkedHashMap<>();
        private final List<XmlElement> children = new ArrayList<>();

        private Builder(String name) {
            this.name = name;
        }

        /** Sets an attribute. JXTA 2.5 takes its value literally, so what needs escaping had better be a child. */
        public Builder attribute(String attribute, String value) {
            attributes.put(attribute, value);
            return this;
        }

        /** Adds a child, unless it is {@code null}. */
        public Builder add(@Nullable XmlElement child) {
            if (child != null) {
                children.add(child);
            }
            return this;
        }

        /** Adds a child with that text, unless the text is {@code null} or empty. */
        public Builder add(String child, @Nullable String text) {
            return text == null || text.isEmpty() ? this : add(ofText(child, text));
        }

        /** Adds a child with that id, unless it is {@code null}. */
        public Builder add(String child, @Nullable AdvertisementId id) {
            return id == null ? this : add(ofText(child, id.urn()));
        }

        /** The element. */
        public XmlElement build() {
            return new XmlElement(name, attributes, "", children);
        }
    }
}
