package io.parley.message;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message: an ordered list of {@linkplain MessageElement elements}. Several elements may have the same name.
 *
 * <pre>{@code
 * Message request = Message.of("text", "Will it rain?");
 * Message reply = Message.builder().add("text", "Yes").add("radar", pictureBytes).build();
 * String text = reply.text("text").orElse("");
 * }</pre>
 *
 * <p>The methods with a name and without a namespace use the empty namespace, and so do the factories without a namespace.
 * An application therefore never reads an element of the framework by accident.
 *
 * <p>Immutable and thread-safe. Two messages are equal if their lists of elements are equal.
 */
public final class Message implements Iterable<MessageElement> {
    /** The message without elements. */
    public static final Message EMPTY = new Message(List.of());

    /** About the memory of an element without its content and the characters of its name, in bytes. */
    private static final int ELEMENT_BYTES = 136;

    private static final int SHOWN_ELEMENTS = 8;

    private final List<MessageElement> elements;

    /** The list must be immutable. */
    private Message(List<MessageElement> elements) {
        this.elements = elements;
    }

    /** Creates a message with one element. */
    public static Message of(MessageElement element) {
        return new Message(List.of(element));
    }

    /** Creates a message with the given elements. */
    public static Message of(MessageElement... elements) {
        return elements.length == 0 ? EMPTY : new Message(List.of(elements));
    }

    /** Creates a message with the given elements. */
    public static Message of(List<MessageElement> elements) {
        if (elements.isEmpty()) {
            return EMPTY;
        }
        return new Message(elements instanceof CompactElements ? elements : List.copyOf(elements));
    }

    /** Creates a message with one text element in the empty namespace. */
    public static Message of(String name, String text) {
        return of(MessageElement.ofText(name, text));
    }

    /**
     * Creates a message with one element in the empty namespace, without a copy of the array. Takes ownership of {@code
     * bytes}; the array must not be changed afterwards.
     */
    public static Message of(String name, byte[] bytes) {
        return of(MessageElement.of(name, bytes));
    }

    /** Returns a builder for a message with several elements. */
    public static Builder builder() {
        return new Builder(Integer.MAX_VALUE);
    }

    /**
     * Returns a builder for a received message, for codecs. The elements of a message with more than 64 of them take little more memory
     * than their names and contents, because small ones become objects only when they are read; see {@link #memoryBytes}. Contents of
     * up to 256 bytes are copied.
     */
    public static Builder compactBuilder() {
        return new Builder(Builder.MAX_OBJECTS);
    }

    /** Returns all elements in order, as an unmodifiable list. */
    public List<MessageElement> elements() {
        return elements;
    }

    @Override
    public Iterator<MessageElement> iterator() {
        return elements.iterator();
    }

    /** Returns the first element with a name in the empty namespace. */
    public Optional<MessageElement> element(String name) {
        return element("", name);
    }

    /** Returns the first element with a name in a namespace. */
    public Optional<MessageElement> element(String namespace, String name) {
        return Optional.ofNullable(find(namespace, name));
    }

    /** Returns all elements with a name in a namespace, in order, as an unmodifiable list. */
    public List<MessageElement> elements(String namespace, String name) {
        List<MessageElement> found = new ArrayList<>();
        for (MessageElement element : elements) {
            if (element.isNamed(namespace, name)) {
                found.add(element);
            }
        }
        return List.copyOf(found);
    }

    /** Returns the {@link MessageElement#text text} of the first element with a name in the empty namespace. */
    public Optional<String> text(String name) {
        MessageElement element = find("", name);
        return element == null ? Optional.empty() : Optional.of(element.text());
    }

    /** Returns a copy of the content of the first element with a name in the empty namespace. */
    public Optional<byte[]> bytes(String name) {
        MessageElement element = find("", name);
        return element == null ? Optional.empty() : Optional.of(element.toByteArray());
    }

    /** Returns a copy of this message with one more element at the end. */
    public Message with(MessageElement element) {
        List<MessageElement> more = new ArrayList<>(elements.size() + 1);
        more.addAll(elements);
        more.add(element);
        return of(more);
    }

    /** Returns the number of elements. */
    public int size() {
        return elements.size();
    }

    /** Returns whether this message has no elements. */
    public boolean isEmpty() {
        return elements.isEmpty();
    }

    /** Returns the sum of the sizes of all contents in bytes, without names, types and signatures. */
    public long payloadBytes() {
        if (elements instanceof CompactElements compact) {
            return compact.payloadBytes();
        }
        return payloadBytes(elements);
    }

    private static long payloadBytes(List<MessageElement> elements) {
        long bytes = 0;
        for (int i = 0; i < elements.size(); i++) {
            bytes += elements.get(i).size();
        }
        return bytes;
    }

    /**
     * Returns about the heap memory that this message takes, in bytes: its contents, names and objects. Small elements take more than
     * their bytes.
     *
     * @param encodedBytes the size of the array that the contents may share, because this message was decoded from it; otherwise 0
     */
    public long memoryBytes(long encodedBytes) {
        if (elements instanceof CompactElements compact) {
            List<MessageElement> kept = compact.kept();
            return compact.recordBytes() + (kept.isEmpty() ? ELEMENT_BYTES : memoryBytes(kept, encodedBytes));
        }
        return memoryBytes(elements, encodedBytes);
    }

    private static long memoryBytes(List<MessageElement> elements, long encodedBytes) {
        long content = Math.max(payloadBytes(elements), encodedBytes);
        return content + (elements.size() > 1 ? objectBytes(elements) : ELEMENT_BYTES);
    }

    private static long objectBytes(List<MessageElement> elements) {
        long bytes = 0;
        String namespace = "";
        for (MessageElement element : elements) {
            bytes += ELEMENT_BYTES + (long) Character.BYTES * element.name().length();
            if (element.signature().isPresent()) {
                bytes += ELEMENT_BYTES;
            }
            if (!element.namespace().equals(namespace)) { // elements of one namespace share its name
                namespace = element.namespace();
                bytes += (long) Character.BYTES * namespace.length();
            }
        }
        return bytes;
    }

    private @Nullable MessageElement find(String namespace, String name) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
        for (int i = 0; i < elements.size(); i++) {
            MessageElement element = elements.get(i);
            if (element.isNamed(namespace, name)) {
                return element;
            }
        }
        return null;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Message that && elements.equals(that.elements);
    }

    @Override
    public int hashCode() {
        return elements.hashCode();
    }

    @Override
    public String toString() {
        StringBuilder text =
                new StringBuilder("Message[").append(size()).append(size() == 1 ? " element" : " elements");
        text.append(", ").append(payloadBytes()).append(" bytes");
        for (int i = 0; i < Math.min(size(), SHOWN_ELEMENTS); i++) {
            text.append(i == 0 ? ": " : ", ").append(elements.get(i).qualifiedName());
        }
        return text.append(size() > SHOWN_ELEMENTS ? ", ...]" : "]").toString();
    }

    /** Builds a {@link Message}. Not thread-safe. */
    public static final class Builder {
        /** The largest number of elements that a compact message keeps as objects. */
        private static final int MAX_OBJECTS = 64;

        private final int maxObjects;
        private final List<MessageElement> elements = new ArrayList<>();

        /** The elements, if there are more than may be objects. */
        private CompactElements.@Nullable Collector compact;

        private Builder(int maxObjects) {
            this.maxObjects = maxObjects;
        }

        /** Appends an element. */
        public Builder add(MessageElement element) {
            Objects.requireNonNull(element, "element");
            if (compact != null) {
                compact.add(element);
            } else if (elements.size() < maxObjects) {
                elements.add(element);
            } else {
                compact = new CompactElements.Collector();
                elements.forEach(compact::add);
                elements.clear();
                compact.add(element);
            }
            return this;
        }

        /** Returns the number of elements that were added. */
        public int size() {
            return compact == null ? elements.size() : compact.size();
        }

        /** Appends a text element in the empty namespace. */
        public Builder add(String name, String text) {
            return add(MessageElement.ofText(name, text));
        }

        /**
         * Appends an element in the empty namespace, without a copy of the array. Takes ownership of {@code bytes}; the
         * array must not be changed afterwards.
         */
        public Builder add(String name, byte[] bytes) {
            return add(MessageElement.of(name, bytes));
        }

        /** Appends all elements of a message or another collection. */
        public Builder addAll(Iterable<MessageElement> more) {
            more.forEach(this::add);
            return this;
        }

        /** Returns the message. The builder may be used again. */
        public Message build() {
            return compact == null ? Message.of(elements) : new Message(compact.finish());
        }
    }
}
