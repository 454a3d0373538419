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
 * Encodes the elements of a message that were chosen for it, marks them by their names, and escapes those that would look
 * marked; the rest passes untouched. Namespace, type, signature and order stay, and no content is copied that isn't
 * encoded. {@link ElementDecoder} is the other side.
 *
 * <p>Made for one direction of one channel. When no scheme keeps state ({@link EncodingScheme#maxStateBytes}) it may be
 * used from any thread; otherwise by one at a time, in the order in which the messages travel.
 */
public final class ElementEncoder {
    private final Function<MessageElement, Optional<EncodingScheme>> choice;
    private final Map<String, EncodingScheme> channelSchemes = new ConcurrentHashMap<>();

    /**
     * An encoder that asks for each element which scheme to use; empty leaves the element as it is. The function is called
     * by whoever calls {@link #encode}.
     */
    public ElementEncoder(Function<MessageElement, Optional<EncodingScheme>> choice) {
        this.choice = Objects.requireNonNull(choice, "choice");
    }

    /** An encoder with one scheme, for the elements that the application selects; all others stay as they are. */
    public static ElementEncoder of(EncodingScheme scheme, Predicate<MessageElement> selected) {
        EncodedElementName.checkedScheme(scheme.name());
        Optional<EncodingScheme> chosen = Optional.of(scheme);
        return new ElementEncoder(element -> selected.test(element) ? chosen : Optional.empty());
    }

    /**
     * The message as it travels. An element whose scheme doesn't accept it, or gives nothing for it, stays as it is.
     *
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE when a content can't be read, or must not travel as it
     *     is
     */
    @SuppressWarnings("ReferenceEquality") // what was left alone is the same object
    public Message encode(Message message) {
        List<MessageElement> encoded = new ArrayList<>(message.size());
        boolean changed = false;
        for (MessageElement element : message) {
            MessageElement travelling = encode(element);
            changed |= travelling != element;
            encoded.add(travelling);
        }
        return changed ? Message.of(encoded) : message;
    }

    private MessageElement encode(MessageElement element) {
        EncodingScheme scheme = choice.apply(element).orElse(null);
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

    private static MessageElement renamed(MessageElement element, EncodedElementName mark) {
        String wireName = mark.wireName();
        return wireName.equals(element.name()) ? element : element.withName(wireName);
    }
}
