package io.parley.encoding.internal;

import io.parley.encoding.EncodingScheme;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reverses {@link ElementEncoder}: decodes the elements whose names mark them as encoded and restores the original names. An element
 * has at most one mark of each scheme. The results of the schemes of a message are bounded together, because a few bytes can decode to a
 * large content that decodes to none.
 *
 * <p>Belongs to one direction of one channel. Thread-safe if all schemes are stateless
 * ({@link EncodingScheme#maxStateBytes}); otherwise it must be used by one thread at a time, in the order of the messages. After a
 * failure, each scheme with state requires an element with which its state begins.
 */
public final class ElementDecoder {
    private final Map<String, EncodingScheme> schemes = new LinkedHashMap<>();
    private final ChannelPosition position;
    private final long maxMessageBytes;
    private final boolean stateless;

    /** A longer name is not kept, because a remote peer selects it, and nothing charges it. */
    private static final int MAX_KNOWN_CHARS = 64;

    /** The last encoded name that was parsed: the elements of most channels have few. Set by any thread. */
    private @Nullable ParsedName known;

    /** @param scheme null if the element is not encoded, or encoded by a scheme that the channel has not */
    private record ParsedName(
            String wireName,
            EncodedElementName name,
            @Nullable EncodingScheme scheme) {}

    /** The instances of the schemes that keep state. */
    private final Map<String, EncodingScheme> started = new HashMap<>();

    /**
     * Creates a decoder for the given schemes.
     *
     * @param position the channel
     * @param maxMessageBytes the maximum sum of the sizes of the decoded contents of a message in bytes; it prevents a
     *     small encoded message from exhausting the memory
     * @throws IllegalArgumentException if {@code maxMessageBytes} is negative
     */
    public ElementDecoder(List<EncodingScheme> schemes, ChannelPosition position, long maxMessageBytes) {
        if (maxMessageBytes < 0) {
            throw new IllegalArgumentException("maxMessageBytes: " + maxMessageBytes + " (expected: >= 0)");
        }
        this.position = position;
        this.maxMessageBytes = maxMessageBytes;
        this.stateless = ElementEncoder.isStateless(schemes);
        for (EncodingScheme scheme : schemes) {
            boolean hasState = scheme.maxStateBytes() > 0;
            this.schemes.put(scheme.name(), hasState ? scheme : scheme.forChannel(position));
        }
    }

    /** Returns whether messages may be decoded in any order. */
    public boolean isStateless() {
        return stateless;
    }

    /** Forgets the state of all schemes, because a message is missing. */
    public void reset() {
        if (!stateless) {
            started.clear();
        }
    }

    /**
     * Returns the message that was passed to the encoder.
     *
     * @param messageNumber the number of messages of the channel that precede this one
     * @param memory        is reserved before each content is decoded; the contents of decoded elements stay reserved. After a failure,
     *                      nothing is in use
     * @throws io.parley.error.InvalidCallException NO_COMMON_CODEC if a scheme or its data is not available
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE if a name or an encoded content is invalid;
     *     LIMIT_EXCEEDED if the sum of the sizes of the contents exceeds the limit, or that of the contents between two schemes exceeds
     *     the limit for each scheme but one
     * @throws ParleyException the {@linkplain ElementMemory#shortage shortage} if there is not enough memory
     */
    public Message decode(Message message, long messageNumber, ElementMemory memory) {
        boolean complete = false;
        try {
            Message decoded = decodeElements(message, messageNumber, memory);
            complete = true;
            return decoded;
        } finally {
            if (!complete) {
                reset();
            }
        }
    }

    @SuppressWarnings("ReferenceEquality") // an unchanged element is the same object
    private Message decodeElements(Message message, long messageNumber, ElementMemory memory) {
        MessageElement[] decoded = new MessageElement[message.size()];
        int index = 0;
        boolean changed = false;
        Remainder remainder = new Remainder(memory);
        for (MessageElement element : message) {
            if (!stateless) {
                position.moveTo(messageNumber, index);
            }
            MessageElement restored = decode(element, remainder);
            remainder.leftBytes -= restored.size();
            if (remainder.leftBytes < 0) {
                throw ErrorCode.LIMIT_EXCEEDED.exception("decoded message: more than " + maxMessageBytes
                        + " bytes (expected: <= maxMessageBytes " + maxMessageBytes + ")");
            }
            changed |= restored != element;
            decoded[index++] = restored;
        }
        return changed ? Message.of(decoded) : message;
    }

    /** The number of bytes to which the rest of one message may decode, and the memory for it. */
    private final class Remainder {

        private final ElementMemory memory;

        /** For the elements of the decoded message. */
        private long leftBytes = maxMessageBytes;

        /** For the contents between two schemes. Those of an honest message have about its size for each further scheme. */
        private long leftBytesBetween = (schemes.size() - 1) * Math.min(maxMessageBytes, Integer.MAX_VALUE);

        private Remainder(ElementMemory memory) {
            this.memory = memory;
        }

        /** @param isLast whether the result is an element of the message */
        private long max(boolean isLast) {
            return isLast ? leftBytes : Math.min(leftBytesBetween, maxMessageBytes);
        }
    }

    private MessageElement decode(MessageElement element, Remainder remainder) {
        MessageElement decoded = element;
        long bytesBetween = 0;
        boolean isFirst = true;
        while (EncodedElementName.isMarked(decoded.name())) {
            ParsedName parsed = parsed(decoded.name());
            EncodedElementName name = parsed.name();
            if (name.scheme() == null) {
                return decoded.withName(name.inner());
            }
            boolean isLast = !EncodedElementName.isEncoded(name.inner());
            if (isFirst && !isLast) {
                requireDifferentSchemes(name);
            }
            isFirst = false;
            MessageElement named = decoded.withName(name.inner());
            Payload payload = decode(instance(parsed), named, remainder.max(isLast), remainder.memory);
            remainder.memory.release(bytesBetween);
            bytesBetween = isLast ? 0 : payload.size();
            remainder.leftBytesBetween -= bytesBetween;
            decoded = named.withPayload(payload);
        }
        return decoded;
    }

    /** Ends after as many marks as there are schemes, because further ones are of the same or of unknown schemes. */
    private void requireDifferentSchemes(EncodedElementName outermost) {
        Set<String> applied = new HashSet<>();
        EncodedElementName name = outermost;
        while (true) {
            String scheme = Objects.requireNonNull(name.scheme());
            if (!schemes.containsKey(scheme)) {
                throw unknownScheme(scheme);
            }
            if (!applied.add(scheme)) {
                throw ErrorCode.MALFORMED_MESSAGE.exception(
                        "element name: encoded twice by " + scheme + " (expected: at most once by each scheme)");
            }
            if (!EncodedElementName.isEncoded(name.inner())) {
                return;
            }
            name = EncodedElementName.ofWireName(name.inner());
        }
    }

    private ParleyException unknownScheme(@Nullable String scheme) {
        return ErrorCode.MALFORMED_MESSAGE.exception("encoding scheme " + scheme
                + ": not agreed for the channel (expected: one of " + schemes.keySet() + ")");
    }

    /** Decodes a content, for which memory is reserved before. That of the result stays reserved. */
    private Payload decode(EncodingScheme scheme, MessageElement element, long max, ElementMemory memory) {
        long stated = scheme.maxDecodedBytes(element);
        boolean isKnown = stated < Long.MAX_VALUE;
        if (isKnown && stated > max) {
            throw tooLarge(stated, max);
        }
        long bytes = Math.max(0, Math.min(stated, max));
        long spare = 0;
        if (!isKnown && scheme.maxStateBytes() == 0) {
            spare = memory.reserveSpare(bytes);
            try {
                return decodeReserved(scheme, element, spare, memory);
            } catch (ParleyException e) {
                if (e.code() != ErrorCode.LIMIT_EXCEEDED || spare == bytes) {
                    throw e;
                }
            }
        }
        long reserved = memory.reserve(bytes);
        if (reserved < bytes && (isKnown || reserved <= spare)) {
            memory.release(reserved);
            throw memory.shortage(bytes);
        }
        try {
            return decodeReserved(scheme, element, reserved, memory);
        } catch (ParleyException e) {
            throw e.code() == ErrorCode.LIMIT_EXCEEDED && reserved < bytes ? memory.shortage(bytes) : e;
        }
    }

    private Payload decodeReserved(EncodingScheme scheme, MessageElement element, long reserved, ElementMemory memory) {
        long used = 0;
        try {
            Payload payload = scheme.decode(element, reserved);
            if (payload.size() > reserved) {
                throw tooLarge(payload.size(), reserved);
            }
            used = payload.size();
            return payload;
        } finally {
            memory.release(reserved - used);
        }
    }

    private ParleyException tooLarge(long bytes, long max) {
        return ErrorCode.LIMIT_EXCEEDED.exception("decoded content: " + bytes + " bytes (expected: <= " + max
                + ", the rest of maxMessageBytes " + maxMessageBytes + ")");
    }

    private ParsedName parsed(String wireName) {
        ParsedName last = known;
        if (last != null && last.wireName.equals(wireName)) {
            return last;
        }
        EncodedElementName name = EncodedElementName.ofWireName(wireName);
        ParsedName parsed = new ParsedName(wireName, name, name.scheme() == null ? null : schemes.get(name.scheme()));
        if (name.scheme() != null && wireName.length() <= MAX_KNOWN_CHARS) {
            known = parsed;
        }
        return parsed;
    }

    private EncodingScheme instance(ParsedName parsed) {
        EncodedElementName name = parsed.name();
        EncodingScheme scheme = parsed.scheme();
        if (scheme == null) {
            throw unknownScheme(name.scheme());
        }
        boolean hasState = scheme.maxStateBytes() > 0;
        if (name.starts()) {
            if (!hasState) {
                throw ErrorCode.MALFORMED_MESSAGE.exception(
                        "encoding scheme " + name.scheme() + ": state begins (expected: no state)");
            }
            started.put(scheme.name(), scheme.forChannel(position));
        }
        EncodingScheme instance = hasState ? started.get(scheme.name()) : scheme;
        if (instance == null) {
            throw ErrorCode.MALFORMED_MESSAGE.exception("encoding scheme " + name.scheme()
                    + ": element without the state of those before it (expected: a mark with '+')");
        }
        return instance;
    }
}
