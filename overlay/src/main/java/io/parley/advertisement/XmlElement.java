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
 * An element of an advertisement document, with JXTA's interpretation of XML: names are literal, including the prefix; text is
 * trimmed; text between children is concatenated, without its positions. The attributes {@code xmlns:jxta} and
 * {@code xml:space}, which each written root has, carry no information and are not part of the element.
 *
 * @param name such as {@code jxta:PA} or {@code Name}
 * @param attributes by name, in document order
 * @param text trimmed; empty if there is none
 * @param children in document order
 */
public record XmlElement(String name, Map<String, String> attributes, String text, List<XmlElement> children) {
    static final Set<String> SAY_NOTHING = Set.of("xmlns:jxta", "xml:space");

    /**
     * Copies the collections and trims the text. Fails with IllegalArgumentException if a name is no XML name or a text contains
     * a character that XML cannot represent.
     */
    public XmlElement {
        XmlTextValidator.checkName(name);
        attributes = checked(attributes);
        XmlTextValidator.checkText(name, text);
        text = text.trim();
        children = List.copyOf(children);
    }

    /** Returns an element with text only. */
    public static XmlElement ofText(String name, String text) {
        return new XmlElement(name, Map.of(), text, List.of());
    }

    /** Returns an element with children. */
    public static XmlElement of(String name, XmlElement... children) {
        return new XmlElement(name, Map.of(), "", List.of(children));
    }

    /** Returns a builder, which omits missing children. */
    public static Builder builder(String name) {
        return new Builder(name);
    }

    /** Returns a copy of this element with another name. */
    public XmlElement withName(String newName) {
        return new XmlElement(newName, attributes, text, children);
    }

    /** Returns the first child with a name. */
    public Optional<XmlElement> child(String childName) {
        return Optional.ofNullable(find(childName));
    }

    /** Returns all children with a name, in order. */
    public List<XmlElement> children(String childName) {
        return children.stream().filter(child -> child.name.equals(childName)).toList();
    }

    /** Returns the text of the first child with a name, or {@code null} if there is none or it is empty. */
    public @Nullable String textOf(String childName) {
        XmlElement child = find(childName);
        return child == null || child.text.isEmpty() ? null : child.text;
    }

    /**
     * Returns the text of the first child with a name.
     *
     * @throws IllegalArgumentException if there is none or it is empty
     */
    public String requireText(String childName) {
        String found = textOf(childName);
        if (found == null) {
            throw new IllegalArgumentException(childName + ": missing (expected: in every " + name + ")");
        }
        return found;
    }

    /**
     * Returns the id in the first child with a name, or {@code null} if there is none or it is empty.
     *
     * @throws IllegalArgumentException if the text is no id
     */
    public @Nullable AdvertisementId idOf(String childName) {
        String found = textOf(childName);
        return found == null ? null : id(childName, found);
    }

    /**
     * Returns the id in the first child with a name.
     *
     * @throws IllegalArgumentException if there is none or the text is no id
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

    /** Builds an {@link XmlElement}. Not thread-safe. */
    public static final class Builder {
        private final String name;
        private final Map<String, String> attributes = new LinkedHashMap<>();
        private final List<XmlElement> children = new ArrayList<>();

        private Builder(String name) {
            this.name = name;
        }

        /** Sets an attribute. JXTA 2.5 reads its value literally, so a value that needs escapes should be a child instead. */
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

        /** Adds a child with a text, unless the text is {@code null} or empty. */
        public Builder add(String child, @Nullable String text) {
            return text == null || text.isEmpty() ? this : add(ofText(child, text));
        }

        /** Adds a child with an id, unless the id is {@code null}. */
        public Builder add(String child, @Nullable AdvertisementId id) {
            return id == null ? this : add(ofText(child, id.urn()));
        }

        /** Returns the element. */
        public XmlElement build() {
            return new XmlElement(name, attributes, "", children);
        }
    }
}
