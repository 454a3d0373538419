package io.parley.endpoint.internal.context;

import io.netty.util.concurrent.EventExecutor;
import io.parley.codec.MessageCodec;
import io.parley.common.Scheduler;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.Timers;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.memory.BudgetTree;
import io.parley.id.PeerId;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.tls.TlsHandlerFactory;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The shared dependencies of the parts of one endpoint.
 *
 * @param self             the id of this peer
 * @param instance         a random number of this run of the peer
 * @param codecs           the message codecs, in order of preference
 * @param connectionEvents the connects and disconnects for listeners
 * @param connections      the limit of connections
 * @param memory           the memory budgets of remote peers
 * @param lastChannel      the number of the last outbound channel
 * @param rejectionLog     the log of connections that fail before the end of the handshake
 * @param faultLog         the log of links that are dropped because of a fault of the remote peer
 * @param executor         the executor of the endpoint; it runs dialers and must not block
 * @param decoding         decodes large messages
 * @param tls              the TLS of secure channels on connections that are not authenticated; null if there is none
 * @param scheduler        the source of time, timers and randomness
 */
public record EndpointContext(
        PeerId self,
        long instance,
        EndpointLimits limits,
        EndpointMetrics metrics,
        List<MessageCodec> codecs,
        ServiceRegistry services,
        AddressBook addresses,
        DialLimiter dialLimiter,
        DirectDialLimiter directDialLimiter,
        TransportRegistry transports,
        ConnectionEventDispatcher connectionEvents,
        ConnectionLimiter connections,
        BudgetTree memory,
        AtomicLong lastChannel,
        RateLimitedLogger rejectionLog,
        RateLimitedLogger faultLog,
        EventExecutor executor,
        DecodingExecutor decoding,
        @Nullable TlsHandlerFactory tls,
        Scheduler scheduler) {

    /**
     * The initial capacity of the collections of a link. They are empty as long as the link is idle, which most links of a peer
     * with thousands are, and grow when they are used.
     */
    public static final int LINK_CAPACITY = 2;

    /** The largest message that is sent in one frame, and the size of the fragments of larger messages, in bytes. */
    public static final int FRAGMENT_BYTES = 128 * 1024;

    /** The largest frame on a link, in bytes: a fragment and its header. */
    public static final int MAX_FRAME_BYTES = FRAGMENT_BYTES + 64;

    /** Added to the size of a message when it is charged to a window, for the objects of the message. */
    private static final int MESSAGE_OVERHEAD_BYTES = 256;

    /** The largest message that fits into an array, in bytes. */
    public static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 8;

    /** Returns the number of window bytes that a message uses. Part of the wire format, because both peers compute it. */
    public static long windowCost(long size) {
        return size + MESSAGE_OVERHEAD_BYTES;
    }

    /** Returns the number of a new outbound channel, which this run of the peer has not used before. */
    public long newChannelNumber() {
        return lastChannel.incrementAndGet();
    }

    /** Returns the names of the codecs, in order of preference. */
    public List<String> codecNames() {
        return codecs.stream().map(MessageCodec::name).toList();
    }

    /** Returns the description of this peer for the handshake of a connection. */
    public Hello newHello(long connection, OptionalLong lostConnection, List<String> codecNames) {
        long maxMessageBytes = Math.min(limits.messages().maxMessageBytes(), MAX_ARRAY_BYTES);
        return new Hello(
                Hello.MINOR,
                self,
                instance,
                connection,
                lostConnection,
                codecNames,
                maxMessageBytes,
                transports.localAddresses());
    }

    /**
     * Runs the task on the target executor after the delay, unless that executor has terminated by then. If memory is short then,
     * the task is tried again.
     */
    public Scheduler.Timer schedule(Duration delay, Executor target, Runnable task) {
        return Timers.schedule(scheduler, delay, target, task);
    }

    /** Runs the task on the target executor. Does nothing if the executor has terminated, and its state with it. */
    public static void execute(Executor target, Runnable task) {
        try {
            target.execute(task);
        } catch (RejectedExecutionException ignored) {
            // The endpoint is closed.
        }
    }
}
