package io.parley.resolver.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.Registration;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.PeerAddress;
import io.parley.transport.PropagationTransport;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Propagates to the peers of the local network, through one {@link PropagationTransport} that all services of this peer share.
 * Messages are binary, because there is no peer to negotiate a codec with. Thread-safe.
 */
public final class MulticastPropagator implements Propagator, AsyncCloseable {

    /** The namespace of the elements that contain the service address. */
    static final String NAMESPACE = "parley.propagated";

    private static final Logger log = LoggerFactory.getLogger(MulticastPropagator.class);

    private static final String SERVICE = "Service";
    private static final String PARAMETER = "Parameter";
    private static final int MAX_ELEMENTS = 1024;
    private static final MessageLimits LIMITS = MessageLimits.DEFAULTS.toBuilder()
            .maxElements(MAX_ELEMENTS)
            .maxMessageBytes(PropagationTransport.MAX_PAYLOAD_BYTES)
            .build();

    private final RateLimitedLogger rejectionLog = new RateLimitedLogger(log);
    private final Endpoint endpoint;
    private final PropagationTransport transport;
    private final CodecSession codec = MessageCodec.binary().newSession(LIMITS); // stateless, so thread-safe
    private final ConcurrentMap<ServiceAddress, PropagatedMessageListener> listeners = new ConcurrentHashMap<>();

    private MulticastPropagator(Endpoint endpoint, PropagationTransport transport) {
        this.endpoint = endpoint;
        this.transport = transport;
    }

    /**
     * Starts a transport.
     *
     * @param endpoint  the endpoint whose addresses are sent to the other peers
     * @param transport the transport; this method takes ownership of it, and closes it if it cannot be started
     * @return a future that completes with the propagator; it fails with {@link ErrorCode#CANNOT_LISTEN}
     */
    public static CompletableFuture<MulticastPropagator> start(Endpoint endpoint, PropagationTransport transport) {
        MulticastPropagator propagator = new MulticastPropagator(endpoint, transport);
        return transport
                .start(propagator::onPropagated)
                .whenComplete((started, failure) -> {
                    if (failure != null) {
                        transport.closeAsync();
                    }
                })
                .thenApply(started -> propagator);
    }

    @Override
    public PropagationScope scope() {
        return PropagationScope.LOCAL_NETWORK;
    }

    @Override
    public CompletableFuture<Void> propagate(ServiceAddress service, Message message) {
        ByteBuf payload;
        try {
            Message addressed = Message.builder()
                    .add(text(SERVICE, service.service()))
                    .add(text(PARAMETER, service.parameter()))
                    .addAll(message)
                    .build();
            payload = codec.encode(addressed, UnpooledByteBufAllocator.DEFAULT);
        } catch (ParleyException e) {
            return CompletableFuture.failedFuture(e);
        }
        return transport.propagate(endpoint.addresses(), payload);
    }

    private static MessageElement text(String name, String value) {
        Payload payload = Payload.of(value.getBytes(StandardCharsets.UTF_8));
        return MessageElement.of(NAMESPACE, name, MessageElement.TYPE_BYTES, payload);
    }

    /** @throws io.parley.error.ParleyException {@link ErrorCode#ALREADY_BOUND}, {@link ErrorCode#CLOSED} */
    @Override
    public AsyncCloseable listen(ServiceAddress service, PropagatedMessageListener listener) {
        if (isClosing()) {
            throw ErrorCode.CLOSED.exception("multicast propagator: closed");
        }
        if (listeners.putIfAbsent(service, listener) != null) {
            throw ErrorCode.ALREADY_BOUND.exception(
                    "service " + service + ": a listener for propagated messages exists already; close it first");
        }
        return new Registration(() -> listeners.remove(service, listener));
    }

    private void onPropagated(PeerAddress sender, ByteBuf payload) {
        Message addressed;
        ServiceAddress service;
        try {
            addressed =
                    codec.decode(Unpooled.wrappedBuffer(ByteBufUtil.getBytes(payload))); // takes ownership of the copy
            service = new ServiceAddress(textOf(addressed, SERVICE), textOf(addressed, PARAMETER));
        } catch (ParleyException | IllegalArgumentException e) {
            endpoint.metrics().increment(EndpointMetrics.Counter.PROPAGATIONS_REJECTED);
            rejectionLog.warn("Rejected propagated message from peer {}: {}", sender.peer(), e.getMessage());
            return;
        }
        PropagatedMessageListener listener = listeners.get(service);
        if (listener != null) {
            List<MessageElement> rest = addressed.elements().stream()
                    .filter(element -> !element.namespace().equals(NAMESPACE))
                    .toList();
            listener.onMessage(sender, Message.of(rest));
        }
    }

    /** Returns the text of an element; empty, which is no valid service name, if the element is missing. */
    private static String textOf(Message message, String name) {
        return message.element(NAMESPACE, name)
                .map(element -> element.payload().text(StandardCharsets.UTF_8))
                .orElse("");
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        listeners.clear();
        return transport.closeAsync();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return transport.whenClosed();
    }

    @Override
    public boolean isClosing() {
        return transport.isClosing();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, endpoint.limits().closeTimeout());
    }
}
