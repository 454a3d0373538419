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
 * Undoes what {@link ElementEncoder} did to a message: decodes the elements whose names say that they are encoded, and
 * gives all their own names back. What comes out of a scheme is never decoded again, so encodings don't nest.
 *
 * <p>Made for one direction of one channel. When no scheme keeps state ({@link EncodingScheme#maxStateBytes}) it may be
 * used from any thread; otherwise by one at a time, in the order in which the messages travelled.
 */
public final class ElementDecoder {
    private final EncodingSchemeRegistry schemes;
    private final long maxMessageBytes;
    private final Map<String, EncodingScheme> channelSchemes = new ConcurrentHashMap<>();

    /**
     * A decoder for what any of these schemes made.
     *
     * @param maxMessageBytes the most bytes that the contents of a message may have together when all are decoded; what
     *     arrives in fewer can't be made to fill the memory
     * @throws IllegalArgumentException when it is negative
     */
    public ElementDecoder(EncodingSchemeRegistry schemes, long maxMessageBytes) {
        this.schemes = Objects.requireNonNull(schemes, "schemes");
        if (maxMessageBytes < 0) {
            throw new IllegalArgumentException("maxMessageBytes: " + maxMessageBytes + " (expected: >= 0)");
        }
        this.maxMessageBytes = maxMessageBytes;
    }

    /**
     * The message as it was given to the encoder.
     *
     * @throws io.parley.error.InvalidCallException NO_COMMON_CODEC when an element is encoded by a scheme that isn't here
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE when a name or an encoded content isn't what an encoder
     *     makes; LIMIT_EXCEEDED when the contents together are larger than allowed
     */
    @SuppressWarnings("ReferenceEquality") // what was left alone is the same object
    public Message decode(Message message) {
        List<MessageElement> decoded = new ArrayList<>(message.size());
        boolean changed = false;
        long leftBytes = maxMessageBytes;
        for (MessageElement element : message) {
            MessageElement own = decode(element, leftBytes);
            leftBytes -= own.size();
            if (leftBytes < 0) {
                throw ErrorCode.LIMIT_EXCEEDED.exception("decoded message: more than " + maxMessageBytes
                        + " bytes (expected: <= maxMessageBytes " + maxMessageBytes + ")");
            }
            changed |= own != element;
            decoded.add(own);
        }
        return changed ? Message.of(decoded) : message;
    }

    private MessageElement decode(MessageElement element, long maxBytes) {
        EncodedElementName mark = EncodedElementName.ofWireName(element.name());
        if (mark.name().equals(element.name())) {
            return element;
        }
        MessageElement named = element.withName(mark.name());
        if (mark.scheme() == null) {
            return named;
        }
        Payload payload = forChannel(mark.scheme()).decode(named, maxBytes);
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
