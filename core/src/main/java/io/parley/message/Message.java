package io.parley.message;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one peer sends to another: an ordered list of {@linkplain MessageElement elements}. Several elements may bear the
 * same name.
 *
 * <pre>{@code
 * Message question = Message.of("text", "Will it rain?");
 * Message reply = Message.builder().add("text", "Yes").add("radar", pictureBytes).build();
 * String text = reply.text("text").orElse("");
 * }</pre>
 *
 * <p>The look-ups that take only a name look in the empty namespace, where the short factories put their elements; so an
 * application never takes a framework's element for its own.
 *
 * <p>Immutable and usable from any thread. Two messages are equal when their elements are, in order.
 */
public final class Message implements Iterable<MessageElement> {
    /** The message without elements. */
    public static final Message EMPTY = new Message(List.of());

    private static final int SHOWN_ELEMENTS = 8;

    private final List<MessageElement> elements;

    /** Takes an immutable list. */
    private Message(List<MessageElement> elements) {
        this.elements = elements;
    }

    /** A message of one element. */
    public static Message of(MessageElement element) {
        return new Message(List.of(element));
    }

    /** A message of these elements. */
    public static Message of(MessageElement... elements) {
        return elements.length == 0 ? EMPTY : new Message(List.of(elements));
    }

    /** A message of these elements. */
    public static Message of(List<MessageElement> elements) {
        return elements.isEmpty() ? EMPTY : new Message(List.copyOf(elements));
    }

    /** A message of one text element in the empty namespace. */
    public static Message of(String name, String text) {
        return of(MessageElement.ofText(name, text));
    }

    /**
     * A message of one element in the empty namespace around the array, which is not copied: takes ownership, the array
     * must not be changed afterwards.
     */
    public static Message of(String name, byte[] bytes) {
        return of(MessageElement.of(name, bytes));
    }

    /** Starts a message of several elements. */
    public static Builder builder() {
        return new Builder();
    }

    /** All elements in order; the list can't be changed. */
    public List<MessageElement> elements() {
        return elements;
    }

    @Override
    public Iterator<MessageElement> iterator() {
        return elements.iterator();
    }

    /** The first element of that name in the empty namespace. */
    public Optional<MessageElement> element(String name) {
        return element("", name);
    }

    /** The first element of that name in that namespace. */
    public Optional<MessageElement> element(String namespace, String name) {
        return Optional.ofNullable(find(namespace, name));
    }

    /** All elements of that name in that namespace, in order; the list can't be changed. */
    public List<MessageElement> elements(String namespace, String name) {
        List<MessageElement> found = new ArrayList<>();
        for (MessageElement element : elements) {
            if (element.isNamed(namespace, name)) {
                found.add(element);
            }
        }
        return List.copyOf(found);
    }

    /** The {@link MessageElement#text text} of the first element of that name in the empty namespace. */
    public Optional<String> text(String name) {
        MessageElement element = find("", name);
        return element == null ? Optional.empty() : Optional.of(element.text());
    }

    /** A copy of the content of the first element of that name in the empty namespace. */
    public Optional<byte[]> bytes(String name) {
        MessageElement element = find("", name);
        return element == null ? Optional.empty() : Optional.of(element.toByteArray());
    }

    /** This message with one element more, at its end. */
    public Message with(MessageElement element) {
        List<MessageElement> more = new ArrayList<>(elements.size() + 1);
        more.addAll(elements);
        more.add(element);
        return of(more);
    }

    /** How many elements there are. */
    public int size() {
        return elements.size();
    }

    public boolean isEmpty() {
        return elements.isEmpty();
    }

    /** The bytes of all contents together, without names, types and signatures. */
    public long payloadBytes() {
        long bytes = 0;
        for (int i = 0; i < elements.size(); i++) {
            bytes += elements.get(i).size();
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

    /** Collects elements in order. Not for use by several threads. */
    public static final class Builder {
        private final List<MessageElement> elements = new ArrayList<>();

        private Builder() {}

        /** Appends an element. */
        public Builder add(MessageElement element) {
            elements.add(Objects.requireNonNull(element, "element"));
            return this;
        }

        /** Appends a text element in the empty namespace. */
        public Builder add(String name, String text) {
            return add(MessageElement.ofText(name, text));
        }

        /**
         * Appends an element in the empty namespace around the array, which is not copied: takes ownership, the array
         * must not be changed afterwards.
         */
        public Builder add(String name, byte[] bytes) {
            return add(MessageElement.of(name, bytes));
        }

        /** Appends all elements of a message or another collection. */
        public Builder addAll(Iterable<MessageElement> more) {
            more.forEach(this::add);
            return this;
        }

        /** The message; the builder may be used on. */
        public Message build() {
            return Message.of(elements);
        }
    }
}
