package io.parley.codec.xml.internal;

import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** What is known of an element when its attributes were read and checked, before its content. */
public final class ElementHead {
    private final MessageElement empty;
    private final boolean octets;
    private final @Nullable Charset charset;

    /** The charset is that of characters, {@code null} when this JVM does not know it, or there shall be none. */
    ElementHead(MessageElement empty, boolean octets, @Nullable Charset charset) {
        this.empty = empty;
        this.octets = octets;
        this.charset = charset;
    }

    /** Whether the attribute {@link FormNames#ENCODING} announces octets; otherwise the content is characters. */
    public boolean octets() {
        return octets;
    }

    /** Whether the content is characters whose UTF-8 is what the element holds. */
    public boolean utf8() {
        return StandardCharsets.UTF_8.equals(charset);
    }

    /** The element with its content. */
    public MessageElement with(Payload content) {
        return content.size() == 0 ? empty : MessageElement.of(empty.namespace(), empty.name(), empty.type(), content);
    }

    MessageElement empty() {
        return empty;
    }

    @Nullable
    Charset charset() {
        return charset;
    }
}
