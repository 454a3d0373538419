package io.parley.encoding;

import io.parley.message.MessageElement;

/**
 * Creates elements that an output pipe encodes, if its policy is one {@linkplain EncodingPolicy#withProducedElements for produced
 * elements}. Elements that are created in another way are sent as they are. The selection is local: the receiver gets an element like
 * any other. Thread-safe.
 */
public final class MessageElementProducer {

    /** Creates a producer. All producers are equivalent. */
    public MessageElementProducer() {}

    /** Returns the element, selected for encoding. */
    public MessageElement produce(MessageElement element) {
        return element.selectedForEncoding();
    }

    /** Creates an element as {@link MessageElement#of(String, byte[])} does. Takes ownership of {@code bytes}. */
    public MessageElement of(String name, byte[] bytes) {
        return produce(MessageElement.of(name, bytes));
    }

    /** Creates an element as {@link MessageElement#ofText(String, String)} does. */
    public MessageElement ofText(String name, String text) {
        return produce(MessageElement.ofText(name, text));
    }

    /** Creates an element as {@link MessageElement#ofXml} does. */
    public MessageElement ofXml(String name, String document) {
        return produce(MessageElement.ofXml(name, document));
    }
}
