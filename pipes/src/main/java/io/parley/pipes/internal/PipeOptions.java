package io.parley.pipes.internal;

import io.parley.common.AsyncCloseable;
import io.parley.encoding.EncodingScheme;
import io.parley.endpoint.ChannelAcceptor;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.ServiceOptions;
import io.parley.error.ErrorCode;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.pipes.SenderListener;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The options of pipes, which the methods of {@link io.parley.pipes.Pipes} describe.
 *
 * @param codecs  in order of preference; empty for the codec of the connection
 * @param senders {@code null} if the begin and the end of senders are not reported
 */
public record PipeOptions(
        List<String> codecs,
        DeliveryMode delivery,
        PipeEncoding encoding,
        @Nullable SenderListener senders,
        PipeSecurity security,
        PipeFlow flow) {

    public static final PipeOptions DEFAULTS = new PipeOptions(
            List.of(), DeliveryMode.RELIABLE, PipeEncoding.DEFAULT, null, PipeSecurity.PLAIN, PipeFlow.DEFAULT);

    public PipeOptions withCodecs(List<String> value) {
        return new PipeOptions(value, delivery, encoding, senders, security, flow);
    }

    public PipeOptions withDelivery(DeliveryMode value) {
        return new PipeOptions(codecs, value, encoding, senders, security, flow);
    }

    public PipeOptions withEncoding(PipeEncoding value) {
        return new PipeOptions(codecs, delivery, value, senders, security, flow);
    }

    public PipeOptions withSenders(SenderListener value) {
        return new PipeOptions(codecs, delivery, encoding, value, security, flow);
    }

    public PipeOptions withSecurity(PipeSecurity value) {
        return new PipeOptions(codecs, delivery, encoding, senders, value, flow);
    }

    public PipeOptions withFlow(PipeFlow value) {
        return new PipeOptions(codecs, delivery, encoding, senders, security, value);
    }

    /** Returns whether unacknowledged messages of a lost holder are sent to the next one. */
    public boolean isResending() {
        return delivery == DeliveryMode.RESENDING;
    }

    /** @throws io.parley.error.InvalidCallException {@link ErrorCode#NO_COMMON_CODEC} if this peer lacks one of the codecs */
    public void requireCodecs(Endpoint endpoint) {
        if (codecs.isEmpty()) {
            return;
        }
        List<String> own = endpoint.codecs();
        List<String> missing =
                codecs.stream().filter(name -> !own.contains(name)).toList();
        if (!missing.isEmpty()) {
            throw ErrorCode.NO_COMMON_CODEC.exception("codecs: " + missing + " (expected: of " + own + ")");
        }
    }

    /** @throws IllegalArgumentException if messages may be lost that the state of an encoding scheme needs */
    public void requireEncodable() {
        if (delivery.isBestEffort()) {
            encoding.requireNoState();
        }
    }

    /**
     * Guards a call whose messages are sent without encoded elements.
     *
     * @param call   the call, as the error names it
     * @param remedy the last part of the error: the call to use instead
     * @throws IllegalStateException if the policy of {@link io.parley.pipes.Pipes#withEncoding} requires a scheme, such as encryption
     */
    public void requireNoEncoding(String call, String remedy) {
        encoding.requireOptional(call, remedy);
    }

    /** Returns a new messenger of an output pipe. */
    Messenger newMessenger(PeerGroup group, PeerId holder, ServiceAddress service) {
        Endpoint endpoint = group.endpoint();
        MessengerOptions plain = MessengerOptions.DEFAULTS.withCodecs(codecs).withDelivery(delivery.ofMessengers());
        MessengerOptions options = encoding.applyTo(security.applyTo(plain));
        return endpoint.messenger(holder, service, flow.applyTo(options, endpoint, group.scheduler()));
    }

    /** Registers an input pipe whose elements are decoded where its messages are read. */
    public AsyncCloseable listen(Endpoint endpoint, ServiceAddress service, ChannelAcceptor pipe) {
        return listen(endpoint, service, false, encoding.acceptedSchemes(), pipe);
    }

    /** Registers an input pipe that borrows messages, which are decoded as those of {@link #listenOnEventLoop}. */
    public AsyncCloseable listenZeroCopy(Endpoint endpoint, ServiceAddress service, ChannelAcceptor pipe) {
        return listen(endpoint, service, true, encoding.schemes(), pipe);
    }

    /**
     * Registers an input pipe whose elements are decoded on the event loop of the connection. Only the passed schemes are used, so that
     * a scheme is not costly for an application that does not know of it.
     */
    public AsyncCloseable listenOnEventLoop(Endpoint endpoint, ServiceAddress service, ChannelAcceptor pipe) {
        return listen(endpoint, service, false, encoding.schemes(), pipe);
    }

    private AsyncCloseable listen(
            Endpoint endpoint,
            ServiceAddress service,
            boolean zeroCopy,
            List<EncodingScheme> schemes,
            ChannelAcceptor pipe) {
        ServiceOptions options = ServiceOptions.DEFAULTS
                .withWindowBytes(flow.windowBytes(endpoint))
                .withDecoding(schemes);
        return endpoint.listenToChannels(service, security.applyTo(zeroCopy ? options.withZeroCopy() : options), pipe);
    }
}
