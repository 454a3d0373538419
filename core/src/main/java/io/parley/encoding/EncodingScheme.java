package io.parley.encoding;

import io.parley.encoding.internal.ElementDecoder;
import io.parley.encoding.internal.ElementEncoder;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.Optional;

/**
 * A way to encode the content of single elements: compression, encryption, or anything else that can be undone. Nothing
 * assumes that what is encoded gets smaller. A scheme sees and makes contents only; name, namespace, type, signature and
 * order of elements are kept by {@link ElementEncoder} and {@link ElementDecoder}, which also mark what is encoded.
 *
 * <p>What {@link #decode} gives is, byte for byte, what {@link #encode} was given: signatures and hashes stay valid.
 *
 * <p>Implementations are found by {@link java.util.ServiceLoader} under this interface's name and need a public
 * constructor without parameters, or are passed in by hand, as one with keys or a dictionary has to be. A scheme that
 * keeps nothing from one element to the next is immutable and may be used from any thread. One that does is stateful: it
 * overrides {@link #forChannel} and {@link #maxStateBytes}.
 */
public interface EncodingScheme {

    /**
     * The name on the wire, stable for ever: 1 to 32 of the characters {@code a-z}, {@code 0-9}, {@code .} and
     * {@code -}. Every encoded element carries it, so it should be short. What must be equal on both sides, such as a
     * dictionary, should show in it.
     */
    String name();

    /** Whether the scheme is made for such an element, judged by its type and size alone; the content isn't read. */
    boolean accepts(MessageElement element);

    /**
     * Encodes the content of an element.
     *
     * @return empty when the element had better travel as it is, because its content would not come back byte for byte,
     *     or gains nothing
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE when the content can't be read, or can't be encoded and
     *     must not travel as it is
     */
    Optional<Payload> encode(MessageElement element);

    /**
     * Undoes {@link #encode}. The bytes may come from anybody: whatever they say, this allocates no more than some small
     * multiple of {@code maxBytes} and of what has arrived, and fails only as told here.
     *
     * @param element the element as it was given to {@link #encode}, but with the encoded content
     * @param maxBytes the most bytes that the result may have
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE when this isn't what {@link #encode} makes;
     *     LIMIT_EXCEEDED when the result would be larger than {@code maxBytes}, or some other bound is passed
     */
    Payload decode(MessageElement element, long maxBytes);

    /**
     * The scheme for one direction of one reliable, ordered channel. A stateful scheme gives a new instance, which sees
     * the elements of that channel one at a time and in order, and is of no use any more after it has failed; all others
     * give themselves.
     */
    default EncodingScheme forChannel() {
        return this;
    }

    /**
     * The most memory, in bytes, that {@link #forChannel} keeps from one element to the next, for whoever opens the
     * channel to charge. 0 when it keeps nothing; only then may the scheme be used where messages get lost, change their
     * order, or go to many peers.
     */
    default int maxStateBytes() {
        return 0;
    }
}
