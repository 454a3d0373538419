package io.parley.encoding.internal;

import io.parley.encoding.EncodingScheme;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Encodes selected elements of a message and marks them by their names. Names that look like marked names are escaped.
 * Namespace, type, signature and order are preserved, and unencoded contents are not copied. {@link ElementDecoder}
 * reverses the encoding.
 *
 * <p>Belongs to one direction of one channel. Thread-safe if all schemes are stateless
 * ({@link EncodingScheme#maxStateBytes}); otherwise it must be used by one thread at a time, in the order of the messages.
 */
public final class ElementEncoder {
    private final Function<MessageElement, Optional<EncodingScheme>> schemeSelector;
    private final Map<String, EncodingScheme> channelSchemes = new ConcurrentHashMap<>();

    /**
     * Creates an encoder with a function that selects the scheme of each element, or none. The function is called in the
     * thread that calls {@link #encode}.
     */
    public ElementEncoder(Function<MessageElement, Optional<EncodingScheme>> schemeSelector) {
        this.schemeSelector = Objects.requireNonNull(schemeSelector, "schemeSelector");
    }

    /** Returns an encoder that applies one scheme to the selected elements. */
    public static ElementEncoder of(EncodingScheme scheme, Predicate<MessageElement> selected) {
        EncodedElementName.checkedScheme(scheme.name());
        Optional<EncodingScheme> chosen = Optional.of(scheme);
        return new ElementEncoder(element -> selected.test(element) ? chosen : Optional.empty());
    }

    /**
     * Returns the encoded message. An element is left unencoded if its scheme does not accept it or returns empty for it.
     *
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE if a content cannot be read, or cannot be encoded and must
     *     not be sent unencoded
     */
    @SuppressWarnings("ReferenceEquality") // an unchanged element is the same object
    public Message encode(Message message) {
        List<MessageElement> encoded = new ArrayList<>(message.size());
        boolean changed = false;
        for (MessageElement element : message) {
            MessageElement outgoing = encode(element);
            changed |= outgoing != element;
            encoded.add(outgoing);
        }
        return changed ? Message.of(encoded) : message;
    }

    private MessageElement encode(MessageElement element) {
        EncodingScheme scheme = schemeSelector.apply(element).orElse(null);
        if (scheme != null && scheme.accepts(element)) {
            Payload payload = forChannel(scheme).encode(element).orElse(null);
            if (payload != null) {
                return renamed(element.withPayload(payload), new EncodedElementName(scheme.name(), element.name()));
            }
        }
        return renamed(element, new EncodedElementName(null, element.name()));
    }

    private EncodingScheme forChannel(EncodingScheme scheme) {
        return channelSchemes.computeIfAbsent(
                EncodedElementName.checkedScheme(scheme.name()), absent -> scheme.forChannel());
    }

    private static MessageElement renamed(MessageElement element, EncodedElementName encodedName) {
        String wireName = encodedName.wireName();
        return wireName.equals(element.name()) ? element : element.withName(wireName);
    }
}
