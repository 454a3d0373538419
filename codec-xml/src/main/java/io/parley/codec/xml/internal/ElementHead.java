package io.parley.codec.xml.internal;

import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The checked attributes of an element whose content has not been read. */
public final class ElementHead {
    private final MessageElement empty;
    private final boolean octets;
    private final @Nullable Charset charset;

    /**
     * Creates a head.
     *
     * @param charset the charset of the characters; {@code null} if this JVM does not support it or the content is
     *     octets
     */
    ElementHead(MessageElement empty, boolean octets, @Nullable Charset charset) {
        this.empty = empty;
        this.octets = octets;
        this.charset = charset;
    }

    /**
     * Returns whether the attribute {@link FormNames#ENCODING} declares octets; otherwise the content is characters.
     */
    public boolean octets() {
        return octets;
    }

    /** Returns whether the content is characters whose UTF-8 is the payload of the element. */
    public boolean utf8() {
        return StandardCharsets.UTF_8.equals(charset);
    }

    /** Returns the element with a payload. */
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
