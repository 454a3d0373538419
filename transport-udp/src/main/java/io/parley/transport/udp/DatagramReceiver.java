package io.parley.transport.udp;

import io.netty.buffer.ByteBuf;
import io.parley.common.Scheduler;
import io.parley.common.internal.DuplicateFilter;
import io.parley.common.internal.KeyedRateLimiter;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.id.PeerId;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PropagationListener;
import io.parley.transport.TransportContext;
import java.net.InetAddress;
import java.time.Duration;
import java.util.function.Predicate;
import org.slf4j.LoggerFactory;

/**
 * Checks, reassembles and verifies the datagrams of one transport and delivers the messages to its listener. Cheap checks
 * come first. It knows no sockets. Not thread-safe, except for {@link #close}.
 *
 * <p>The rate of a source is checked before the rate of all sources, so a source over its rate consumes nothing of the
 * others, and neither does one outside of the local network. Source addresses can be forged. A forger that rotates them to evict table entries gets new rates, but is still
 * bounded by the rate of all sources.
 */
final class DatagramReceiver {

    private final RateLimitedLogger failureLog = new RateLimitedLogger(LoggerFactory.getLogger(DatagramReceiver.class));

    /** The clock counts whole milliseconds, so a message may stay valid for one more than the tolerance. */
    private static final Duration CLOCK_RESOLUTION = Duration.ofMillis(1);

    private final TransportContext context;
    private final UdpSettings settings;
    private final Predicate<InetAddress> isLocal;
    private final MessageVerifier verifier;
    private final PropagationListener listener;
    private final PeerId self;
    private final DropCounters drops;
    private final KeyedRateLimiter<InetAddress> datagramRates;
    private final KeyedRateLimiter<InetAddress> signatureRates;
    private final Reassembler reassembler;
    private final DuplicateFilter<MessageKey> received;
    private volatile boolean closed;

    /** @param isLocal whether datagrams from the address are accepted */
    DatagramReceiver(
            TransportContext context,
            UdpSettings settings,
            Predicate<InetAddress> isLocal,
            MessageVerifier verifier,
            PropagationListener listener) {
        this.context = context;
        this.settings = settings;
        this.isLocal = isLocal;
        this.verifier = verifier;
        this.listener = listener;
        this.self = context.identity().peerId();
        UdpLimits limits = settings.limits();
        Scheduler scheduler = context.scheduler();
        this.drops = new DropCounters(context.metrics());
        this.datagramRates = new KeyedRateLimiter<>(
                limits.datagramsPerSecondPerSource(), limits.datagramsPerSecond(), limits.maxSources(), scheduler);
        this.signatureRates = new KeyedRateLimiter<>(
                limits.signaturesPerSecondPerSource(), limits.signaturesPerSecond(), limits.maxSources(), scheduler);
        this.reassembler = new Reassembler(limits, scheduler, drops);
        // A time may be ahead of the local clock by the tolerance and later be behind it by the tolerance. Only
        // verified messages are added, so the rate of signatures bounds the size, and no key is evicted too early.
        this.received = new DuplicateFilter<>(
                Integer.MAX_VALUE,
                settings.clockTolerance().multipliedBy(2).plus(CLOCK_RESOLUTION),
                context.scheduler());
    }

    /** Processes a datagram. {@code in} is borrowed for this call, which does not move its indices. */
    void receive(InetAddress source, ByteBuf in) {
        if (closed) {
            return;
        }
        DropReason fault = Datagram.check(in);
        if (fault != null) {
            drops.add(fault, source);
        } else if (!Datagram.sender(in).equals(self)) {
            if (!isLocal.test(source)) {
                drops.add(DropReason.NOT_LOCAL, source);
            } else if (!datagramRates.tryAcquire(source)) {
                drops.add(DropReason.DATAGRAM_RATE, source);
            } else {
                receive(source, Datagram.read(in));
            }
        }
    }

    private void receive(InetAddress source, Datagram datagram) {
        if (received.contains(datagram.key())) {
            return;
        }
        byte[] message = reassembler.add(source, datagram);
        if (message != null) {
            receive(source, datagram.key(), message);
        }
    }

    private void receive(InetAddress source, MessageKey key, byte[] bytes) {
        SignedMessage message = SignedMessage.of(bytes);
        if (message == null) {
            drops.add(DropReason.MALFORMED, source);
        } else if (!isFresh(message.timeMillis())) {
            drops.add(DropReason.CLOCK_SKEW, source);
        } else if (!signatureRates.tryAcquire(source)) {
            drops.add(DropReason.SIGNATURE_RATE, source);
        } else if (!verifier.verify(message, key, settings.port())) {
            drops.add(DropReason.INVALID_SIGNATURE, source);
        } else {
            received.add(key);
            reassembler.remove(key);
            SignedMessage.Content content = message.open(key.sender());
            if (content == null) {
                drops.add(DropReason.MALFORMED, source);
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
        } catch (RuntimeException | Error e) { // an error too: other transports receive from the same sockets
            context.metrics().increment(Counter.LISTENER_FAILURES);
            failureLog.warn(
                    "Propagation listener failed on a payload of peer {}",
                    content.sender().peer(),
                    e);
        }
    }

    /** Drops the incomplete messages whose timeout is over. Must be called periodically. */
    void expire() {
        reassembler.expire();
    }

    /** Ends the delivery: datagrams received after this are ignored. Thread-safe. */
    void close() {
        closed = true;
    }

    DropCounters drops() {
        return drops;
    }

    KeyedRateLimiter<InetAddress> datagramRates() {
        return datagramRates;
    }

    Reassembler reassembler() {
        return reassembler;
    }

    DuplicateFilter<MessageKey> received() {
        return received;
    }
}
