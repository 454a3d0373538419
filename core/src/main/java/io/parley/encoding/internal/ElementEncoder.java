package io.parley.encoding.internal;

import io.parley.encoding.EncodingScheme;
import io.parley.error.ErrorCode;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.BitSet;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Applies a chain of schemes to selected elements of a message and marks the elements by their names. Names that look like marked
 * names are escaped. Namespace, type, signature and order are preserved, and unencoded contents are not copied.
 * {@link ElementDecoder} reverses the encoding.
 *
 * <p>Belongs to one direction of one channel. Thread-safe if all schemes are stateless
 * ({@link EncodingScheme#maxStateBytes}); otherwise it must be used by one thread at a time, in the order of the messages, and must
 * not be used after a failure.
 */
public final class ElementEncoder {
    /** The selection of the first element alone. Not changed. */
    private static final BitSet FIRST = BitSet.valueOf(new long[] {1});

    /** The selection of no element. Not changed. */
    private static final BitSet NONE = new BitSet();

    private final List<EncodingScheme> schemes;
    private final ChannelPosition position;

    /** The schemes for the channel; null before the first message, because a scheme may fail, and the message with it. */
    private volatile EncodingScheme @Nullable [] instances;

    /** Which schemes with state have encoded an element. */
    private final boolean[] started;

    private final boolean stateless;

    /** The last name that each scheme has marked: the elements of most channels have few. Set by any thread. */
    private final KnownName[] known;

    /** @param starts whether the state of the scheme begins with the element */
    private record KnownName(String inner, boolean starts, String wireName) {}

    /**
     * Creates an encoder.
     *
     * @param schemes  the chain, in the order of encoding; if it is empty, messages are not changed
     * @param position the channel
     */
    public ElementEncoder(List<EncodingScheme> schemes, ChannelPosition position) {
        this.schemes = List.copyOf(schemes);
        this.position = position;
        this.started = new boolean[schemes.size()];
        this.known = new KnownName[schemes.size()];
        this.stateless = isStateless(schemes);
        schemes.forEach(scheme -> EncodedElementName.checkedScheme(scheme.name()));
    }

    /** Returns the numbers of the elements that a selector selects. The result must not be changed. */
    public static BitSet select(Message message, Predicate<MessageElement> selector) {
        if (message.size() == 1) { // as most have
            return selector.test(message.elements().get(0)) ? FIRST : NONE;
        }
        BitSet selected = new BitSet(message.size());
        int index = 0;
        for (MessageElement element : message) {
            selected.set(index++, selector.test(element));
        }
        return selected;
    }

    /** Returns whether none of the schemes keeps state. */
    public static boolean isStateless(List<EncodingScheme> schemes) {
        return schemes.stream().allMatch(scheme -> scheme.maxStateBytes() == 0);
    }

    /** Returns whether messages may be encoded in any order, and results may be discarded. */
    public boolean isStateless() {
        return stateless;
    }

    /** Returns whether messages are not changed. */
    public boolean isIdentity() {
        return schemes.isEmpty();
    }

    /** Threads that begin at the same time may create schemes without state twice. */
    private EncodingScheme[] instances() {
        EncodingScheme[] present = instances;
        if (present == null) {
            present =
                    schemes.stream().map(scheme -> scheme.forChannel(position)).toArray(EncodingScheme[]::new);
            instances = present;
        }
        return present;
    }

    /**
     * Returns the encoded message. A scheme is left out for an element that it does not accept or for which it returns empty, unless
     * it is required.
     *
     * @param selected      the numbers of the elements to encode
     * @param messageNumber the number of messages of the channel that precede this one
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE if a content cannot be read, or cannot be encoded and must
     *     not be sent unencoded
     */
    @SuppressWarnings("ReferenceEquality") // an unchanged element is the same object
    public Message encode(Message message, BitSet selected, long messageNumber) {
        if (isIdentity()) {
            return message;
        }
        EncodingScheme[] channelSchemes = instances();
        MessageElement[] encoded = new MessageElement[message.size()];
        int index = 0;
        boolean changed = false;
        for (MessageElement element : message) {
            if (!stateless) {
                position.moveTo(messageNumber, index);
            }
            MessageElement outgoing = encode(element, selected.get(index), channelSchemes);
            changed |= outgoing != element;
            encoded[index++] = outgoing;
        }
        return changed ? Message.of(encoded) : message;
    }

    private MessageElement encode(MessageElement element, boolean isSelected, EncodingScheme[] channelSchemes) {
        MessageElement outgoing = renamed(element, EncodedElementName.escaped(element.name()));
        if (isSelected) {
            for (int i = 0; i < channelSchemes.length; i++) {
                outgoing = encode(outgoing, i, channelSchemes[i]);
            }
        }
        return outgoing;
    }

    private MessageElement encode(MessageElement element, int index, EncodingScheme instance) {
        EncodingScheme scheme = schemes.get(index);
        Payload payload = scheme.accepts(element) ? instance.encode(element).orElse(null) : null;
        if (payload == null) {
            if (scheme.isRequired()) {
                throw ErrorCode.NOT_ENCODABLE.exception("element " + element + ": scheme " + scheme.name()
                        + " does not encode it, and it must not be sent without that scheme");
            }
            return element;
        }
        boolean starts = scheme.maxStateBytes() > 0 && !started[index];
        started[index] |= starts;
        return renamed(element.withPayload(payload), wireName(index, starts, element.name()));
    }

    private String wireName(int index, boolean starts, String inner) {
        KnownName last = known[index];
        if (last == null || last.starts != starts || !last.inner.equals(inner)) {
            String wireName = new EncodedElementName(schemes.get(index).name(), starts, inner).wireName();
            last = new KnownName(inner, starts, wireName);
            known[index] = last;
        }
        return last.wireName;
    }

    private static MessageElement renamed(MessageElement element, String wireName) {
        return wireName.equals(element.name()) ? element : element.withName(wireName);
    }
}
