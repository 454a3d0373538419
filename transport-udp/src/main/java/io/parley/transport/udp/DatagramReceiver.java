package io.parley.transport.udp;

import io.netty.buffer.ByteBuf;
import io.parley.id.PeerId;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PropagationListener;
import io.parley.transport.TransportContext;
import java.net.InetAddress;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All that a datagram goes through until the listener hears of it, the cheap steps first. It knows nothing of sockets. For
 * one thread.
 */
final class DatagramReceiver {

    private static final Logger log = LoggerFactory.getLogger(DatagramReceiver.class);

    private final TransportContext context;
    private final UdpSettings settings;
    private final Predicate<InetAddress> isLocal;
    private final PropagationListener listener;
    private final PeerId self;
    private final DropCounters refusals;
    private final SourceRateLimiter rates;
    private final Reassembler reassembler;
    private final ReplayWindow heard;

    /** @param isLocal whether somebody at that address may be heard */
    DatagramReceiver(
            TransportContext context,
            UdpSettings settings,
            Predicate<InetAddress> isLocal,
            LongSupplier nanoTime,
            PropagationListener listener) {
        this.context = context;
        this.settings = settings;
        this.isLocal = isLocal;
        this.listener = listener;
        this.self = context.identity().peerId();
        this.refusals = new DropCounters(context.metrics(), nanoTime);
        this.rates = new SourceRateLimiter(settings.limits(), nanoTime);
        this.reassembler = new Reassembler(settings.limits(), nanoTime, refusals);
        this.heard = new ReplayWindow(settings.clockTolerance(), nanoTime);
    }

    /** Takes what has come from that address. Borrowed for this call. */
    void receive(InetAddress source, ByteBuf in) {
        DropReason fault = Datagram.check(in);
        if (fault != null) {
            refusals.add(fault, source);
        } else if (!Datagram.sender(in).equals(self)) {
            if (!rates.takeDatagram(source)) {
                refusals.add(DropReason.DATAGRAM_RATE, source);
            } else if (!isLocal.test(source)) {
                refusals.add(DropReason.NOT_LOCAL, source);
            } else {
                receive(source, Datagram.read(in));
            }
        }
    }

    private void receive(InetAddress source, Datagram datagram) {
        if (heard.contains(datagram.key())) {
            return;
        }
        byte[] whole = reassembler.add(source, datagram);
        if (whole != null) {
            receive(source, datagram.key(), whole);
        }
    }

    private void receive(InetAddress source, MessageKey key, byte[] whole) {
        SignedMessage message = SignedMessage.of(whole);
        if (message == null) {
            refusals.add(DropReason.MALFORMED, source);
        } else if (!isFresh(message.timeMillis())) {
            refusals.add(DropReason.CLOCK_SKEW, source);
        } else if (!rates.takeSignature(source)) {
            refusals.add(DropReason.SIGNATURE_RATE, source);
        } else if (!message.isSignedBy(key, settings.port())) {
            refusals.add(DropReason.INVALID_SIGNATURE, source);
        } else {
            heard.add(key);
            reassembler.forget(key);
            SignedMessage.Content content = message.open(key.sender());
            if (content == null) {
                refusals.add(DropReason.MALFORMED, source);
            } else {
                deliver(content);
            }
        }
    }

    private boolean isFresh(long timeMillis) {
        long now = context.scheduler().clock().millis();
        long tolerance = settings.clockTolerance().toMillis();
        return timeMillis >= now - tolerance && timeMillis <= now + tolerance;
    }

    private void deliver(SignedMessage.Content content) {
        context.metrics().increment(Counter.PROPAGATIONS_RECEIVED);
        try {
            listener.onPropagated(content.sender(), content.payload());
        } catch (RuntimeException e) {
            context.metrics().increment(Counter.LISTENER_FAILURES);
            log.warn(
                    "A listener failed on what peer {} had propagated",
                    content.sender().peer(),
                    e);
        }
    }

    /** Gives up incomplete messages whose time is over; to be called now and then. */
    void expire() {
        reassembler.expire();
    }

    DropCounters refusals() {
        return refusals;
    }

    SourceRateLimiter rates() {
        return rates;
    }

    Reassembler reassembler() {
        return reassembler;
    }

    ReplayWindow heard() {
        return heard;
    }
}
