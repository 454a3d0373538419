package io.parley.encoding;

import io.parley.encoding.internal.EncodingSchemeRegistry;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.List;
import java.util.Optional;

/**
 * A reversible encoding of the content of single elements, such as compression or encryption. The encoded content may be
 * larger. A scheme processes contents only. The framework preserves name, namespace, type, signature and order of elements
 * and marks encoded elements.
 *
 * <p>{@link #decode} restores the input of {@link #encode} byte for byte, so signatures and hashes stay valid.
 *
 * <p>Implementations are found by {@link java.util.ServiceLoader} under the name of this interface, which requires a
 * public constructor without parameters, or are created by the application, which schemes with keys or a dictionary
 * require. A stateless scheme must be immutable and thread-safe. A scheme that keeps state between elements must override
 * {@link #forChannel} and {@link #maxStateBytes}. A subclass of {@code EncodingSchemeContractTest} in {@code
 * parley-testkit} tests an implementation against this contract.
 *
 * <p>An {@link EncodingPolicy} selects the schemes and the elements of an output pipe.
 */
public interface EncodingScheme {

    /**
     * Returns all schemes on the class path, in the order of the class path.
     *
     * @throws io.parley.error.InvalidCallException NO_COMMON_CODEC if a scheme cannot be loaded
     * @throws IllegalArgumentException if two different schemes have the same name, or a name is not valid
     */
    static List<EncodingScheme> installed() {
        return EncodingSchemeRegistry.installed().schemes();
    }

    /**
     * Returns the name on the wire, which must never change: 1 to 32 of the characters {@code a-z}, {@code 0-9},
     * {@code .} and {@code -}. Every encoded element contains it, so it should be short. It should identify any shared
     * data that both peers need, such as a dictionary.
     */
    String name();

    /** Returns whether the scheme is suitable for an element. Only type and size are considered; the content is not read. */
    boolean accepts(MessageElement element);

    /**
     * Encodes the content of an element.
     *
     * @param element the element. If other schemes have encoded it, its name begins with their marks and its content is their result
     * @return the encoded content, or empty if the element should be sent unencoded because {@link #decode} would not
     *     restore it byte for byte or because encoding has no benefit
     * @throws io.parley.error.InvalidCallException NOT_ENCODABLE if the content cannot be read, or if it cannot be
     *     encoded and must not be sent unencoded
     */
    Optional<Payload> encode(MessageElement element);

    /**
     * Reverses {@link #encode}. The bytes are untrusted: for any input, this method must allocate at most a small multiple
     * of {@code maxBytes} and of the size of the input, and must fail only with the exceptions below.
     *
     * @param element the element that was passed to {@link #encode}, with the encoded content
     * @param maxBytes the maximum size of the result in bytes
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE if the content is not a possible result of
     *     {@link #encode}; LIMIT_EXCEEDED if the result would exceed {@code maxBytes} or another limit
     * @throws io.parley.error.InvalidCallException NO_COMMON_CODEC if this peer lacks data that the content requires, such as a key
     */
    Payload decode(MessageElement element, long maxBytes);

    /**
     * Returns a number of bytes that the result of {@link #decode} does not exceed, if the content states it, as that of most formats
     * does. So much memory is reserved before the element is decoded, and it is decoded with that limit. The bytes are untrusted; the
     * method must be cheap and must fail only as {@link #decode} does.
     *
     * <p>The default is {@link Long#MAX_VALUE}: nothing is known before. Then the element is decoded with a part of the memory that is
     * free, and if that fails with LIMIT_EXCEEDED, a second time with all of it. If the scheme keeps state, all of it is reserved at once,
     * so other messages find none meanwhile; such a scheme should override this method.
     *
     * @param element the element that is passed to {@link #decode}
     */
    default long maxDecodedBytes(MessageElement element) {
        return Long.MAX_VALUE;
    }

    /**
     * Returns the scheme for one direction of one reliable, ordered channel. A stateful scheme returns a new instance, which
     * processes the elements of that channel one at a time and in order and must not be used after a failure. A stateless
     * scheme returns itself.
     *
     * <p>The remote peer can make this peer call the method for each element, so the method must be cheap: memory should be allocated
     * when elements fill it.
     */
    default EncodingScheme forChannel(EncodingChannel channel) {
        return this;
    }

    /**
     * Returns the maximum memory, in bytes, that the result of {@link #forChannel} keeps between elements. It is charged to
     * the budget of the channel. 0 if the scheme is stateless; only then the scheme may be used for messages that can be
     * lost, reordered or sent to several peers.
     */
    default int maxStateBytes() {
        return 0;
    }

    /**
     * Returns the size of the largest content, in bytes, that is encoded on an event loop when an application sends on one. The elements
     * of larger messages are encoded on another thread, so that they do not delay the channels of that event loop. A scheme returns more
     * than the default if it encodes each content of that size in at most about 0.1 ms. The default is 0, which costs a change of
     * threads for messages that are sent on event loops.
     */
    default int maxEventLoopBytes() {
        return 0;
    }

    /**
     * Returns whether an element for which the scheme is selected must not be sent without it, as with encryption. Sending fails if
     * the receiver lacks such a scheme, or if the scheme does not encode an element.
     */
    default boolean isRequired() {
        return false;
    }
}
