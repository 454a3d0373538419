package io.parley.endpoint;

import io.parley.encoding.EncodingScheme;
import io.parley.encoding.internal.EncodingSchemeRegistry;
import java.util.List;
import java.util.OptionalInt;

/**
 * How a service of this peer receives messages.
 *
 * @param windowBytes the maximum window of each sender; empty for {@link EndpointLimits#windowBytes()}
 * @param zeroCopy    whether messages are borrowed, see {@link #withZeroCopy}
 * @param secure      whether all channels are secure ones, see {@link #withSecureChannels}
 * @param schemes     the schemes by which senders may encode elements, see {@link #withDecoding}
 */
public record ServiceOptions(OptionalInt windowBytes, boolean zeroCopy, boolean secure, List<EncodingScheme> schemes) {

    /** The window of the endpoint; copied messages; channels as secure as their connections; no encoded elements. */
    public static final ServiceOptions DEFAULTS = new ServiceOptions(OptionalInt.empty(), false, false, List.of());

    /** @throws IllegalArgumentException if different schemes have the same name, or a name is not valid */
    public ServiceOptions {
        schemes = EncodingSchemeRegistry.of(schemes).schemes();
    }

    /**
     * Returns a copy with another maximum window per sender. A service that receives little data from many peers should have a small one.
     *
     * @param value {@link EndpointLimits#MIN_WINDOW_BYTES} to {@link EndpointLimits#peerMemoryBytes()} bytes, which is checked when the
     *     service is registered
     */
    public ServiceOptions withWindowBytes(int value) {
        return new ServiceOptions(OptionalInt.of(value), zeroCopy, secure, schemes);
    }

    /**
     * Returns a copy for a listener that uses a message only until it returns. The message is borrowed: if its codec supports that (the
     * binary codec does), it is not copied out of the memory into which the network read it; see
     * {@link io.parley.message.Payload#isBorrowed}. The message is released when the listener returns or throws.
     */
    public ServiceOptions withZeroCopy() {
        return new ServiceOptions(windowBytes, true, secure, schemes);
    }

    /**
     * Returns a copy for a service whose channels are all secure ones: the two peers are authenticated to each other, and no other program
     * can read, change, repeat, reorder or leave out what is sent. If the transport authenticates the peers
     * ({@link io.parley.transport.TransportSecurity#TLS}), it protects the channel; otherwise TLS 1.3 between the two endpoints does. The
     * end of a channel ({@link ChannelListener#onEnded}) is protected too; its loss is not. Messengers that do not
     * {@linkplain MessengerOptions#withSecureChannels require} that are refused with
     * {@link io.parley.error.ErrorCode#SECURITY_MISMATCH}.
     */
    public ServiceOptions withSecureChannels() {
        return new ServiceOptions(windowBytes, zeroCopy, true, schemes);
    }

    /**
     * Returns a copy for a service whose senders may encode elements by these schemes; see {@link MessengerOptions#withEncoding}. A message is
     * decoded when {@link ReceivedMessage#message} is called for the first time, on that thread. If that fails, the message is dropped and
     * counted, and further messages of its channel are refused.
     *
     * @param values of several schemes of one class and name, the first is used
     * @throws IllegalArgumentException if different schemes have the same name, or a name is not valid
     */
    public ServiceOptions withDecoding(List<EncodingScheme> values) {
        return new ServiceOptions(windowBytes, zeroCopy, secure, values);
    }
}
