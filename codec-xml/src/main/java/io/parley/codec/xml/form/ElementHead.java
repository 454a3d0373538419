package io.parley.codec.xml.form;

import io.parley.message.MessageElement;
import io.parley.message.Payload;

/** What is known of an element when its attributes were read and checked, before its content. */
public final class ElementHead {
    private final MessageElement empty;
    private final boolean octets;

    ElementHead(MessageElement empty, boolean octets) {
        this.empty = empty;
        this.octets = octets;
    }

    /** Whether the attribute {@link FormNames#ENCODING} announces octets; otherwise the content is characters. */
    public boolean octets() {
        return octets;
    }

    /** The element with its content. */
    public MessageElement with(Payload content) {
        return content.size() == 0 ? empty : MessageElement.of(empty.namespace(), empty.name(), empty.type(), content);
    }

    MessageElement empty() {
        return empty;
    }
}
