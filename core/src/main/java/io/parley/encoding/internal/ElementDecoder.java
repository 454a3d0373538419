package io.parley.encoding.internal;

import io.parley.encoding.EncodingScheme;
import io.parley.error.ErrorCode;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Reverses {@link ElementEncoder}: decodes the elements whose names mark them as encoded and restores the original names.
 * Decoded contents are never decoded again, so encodings do not nest.
 *
 * <p>Belongs to one direction of one channel. Thread-safe if all schemes are stateless
 * ({@link EncodingScheme#maxStateBytes}); otherwise it must be used by one thread at a time, in the order of the messages.
 */
public final class ElementDecoder {
    private final EncodingSchemeRegistry schemes;
    private final long maxMessageBytes;
    private final Map<String, EncodingScheme> channelSchemes = new ConcurrentHashMap<>();

    /**
     * Creates a decoder for the given schemes.
     *
     * @param maxMessageBytes the maximum sum of the sizes of the decoded contents of a message in bytes; it prevents a
     *     small encoded message from exhausting the memory
     * @throws IllegalArgumentException if {@code maxMessageBytes} is negative
     */
    public ElementDecoder(EncodingSchemeRegistry schemes, long maxMessageBytes) {
        this.schemes = Objects.requireNonNull(schemes, "schemes");
        if (maxMessageBytes < 0) {
            throw new IllegalArgumentException("maxMessageBytes: " + maxMessageBytes + " (expected: >= 0)");
        }
        this.maxMessageBytes = maxMessageBytes;
    }

    /**
     * Returns the message that was passed to the encoder.
     *
     * @throws io.parley.error.InvalidCallException NO_COMMON_CODEC if a scheme is not available
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE if a name or an encoded content is invalid;
     *     LIMIT_EXCEEDED if the sum of the sizes of the contents exceeds the limit
     */
    @SuppressWarnings("ReferenceEquality") // an unchanged element is the same object
    public Message decode(Message message) {
        List<MessageElement> decoded = new ArrayList<>(message.size());
        boolean changed = false;
        long leftBytes = maxMessageBytes;
        for (MessageElement element : message) {
            MessageElement restored = decode(element, leftBytes);
            leftBytes -= restored.size();
            if (leftBytes < 0) {
                throw ErrorCode.LIMIT_EXCEEDED.exception("decoded message: more than " + maxMessageBytes
                        + " bytes (expected: <= maxMessageBytes " + maxMessageBytes + ")");
            }
            changed |= restored != element;
            decoded.add(restored);
        }
        return changed ? Message.of(decoded) : message;
    }

    private MessageElement decode(MessageElement element, long maxBytes) {
        EncodedElementName encodedName = EncodedElementName.ofWireName(element.name());
        if (encodedName.name().equals(element.name())) {
            return element;
        }
        MessageElement named = element.withName(encodedName.name());
        if (encodedName.scheme() == null) {
            return named;
        }
        Payload payload = forChannel(encodedName.scheme()).decode(named, maxBytes);
        return named.withPayload(payload);
    }

    private EncodingScheme forChannel(String name) {
        EncodingScheme known = channelSchemes.get(name);
        return known != null
                ? known
                : channelSchemes.computeIfAbsent(
                        name, absent -> schemes.get(absent).forChannel());
    }
}
