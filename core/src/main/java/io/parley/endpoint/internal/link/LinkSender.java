package io.parley.endpoint.internal.link;

import io.parley.common.internal.WireStatus;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.ChannelProtection;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Open;
import io.parley.endpoint.internal.frame.Opened;
import io.parley.endpoint.internal.messenger.LinkedQueue;
import io.parley.endpoint.internal.messenger.MessageEncoder;
import io.parley.endpoint.internal.messenger.MessengerBinding;
import io.parley.endpoint.internal.messenger.OutboundChannel;
import io.parley.endpoint.internal.messenger.OutboundSequence;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.PeerFaultException;
import io.parley.transport.Connection;
import io.parley.transport.EndpointMetrics.Counter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a link. Opens a channel for each messenger, and writes the channels with queued messages in turn, one
 * frame each, while the connection is writable. Confined to the event loop of the link.
 */
final class LinkSender {

    private final MessengerBinding.Carrier link;
    private final LinkContext context;
    private final LinkChannels channels;
    private final Connection connection;
    private final FrameWriter frames;
    private final int maxChannels;
    private final IdentityHashMap<PeerMessenger, OutboundChannel> byMessenger =
            new IdentityHashMap<>(EndpointContext.LINK_CAPACITY);
    private final HandleTable<OutboundChannel> byHandle;
    private final LinkedQueue<OutboundChannel> ready = new LinkedQueue<>();

    /** The channels of a retiring link that may have unacknowledged messages. They get no further ones. */
    private final Queue<OutboundChannel> unsettled = new ArrayDeque<>(1);

    private int lastHandle;
    private boolean writing;
    private boolean retiring;

    /** Whether the channels are in a tunnel. */
    private final boolean tunneled;

    /** Whether OPEN frames may be written. */
    private boolean started;

    /**
     * Creates a sender without channels.
     *
     * @param link    the carrier of the messengers
     * @param started whether channels may be opened before {@link #start}
     */
    LinkSender(
            MessengerBinding.Carrier link,
            LinkContext context,
            LinkChannels channels,
            Connection connection,
            FrameWriter frames,
            int maxChannels,
            boolean started) {
        this.channels = channels;
        this.tunneled = !started;
        this.started = started;
        this.link = link;
        this.context = context;
        this.byHandle = new HandleTable<>(context.endpoint().scheduler().random());
        this.connection = connection;
        this.frames = frames;
        this.maxChannels = maxChannels;
    }

    boolean hasChannels() {
        return !byMessenger.isEmpty();
    }

    /** Handles a messenger that has queued a message, needs an open channel, or is closing. */
    void wake(PeerMessenger messenger) {
        OutboundChannel channel = byMessenger.get(messenger);
        if (channel == null) {
            if (retiring) {
                if (!messenger.binding().isBoundTo(link)) { // otherwise its END frame is queued already
                    messenger.binding().wakeCarrier(); // another link, now or later
                }
                return;
            }
            OutboundSequence sequence = messenger.sequence();
            if (!sequence.needsChannel() && !(sequence.isResumable() && !messenger.isClosing())) {
                messenger.finishIfDone();
                return;
            }
            channel = open(messenger);
            if (channel == null) {
                return;
            }
        }
        queueIfReady(channel);
        if (!writing) { // otherwise this is the callback of a future, and the loop below continues with the new message
            writeReady();
        }
        endIfDone(channel);
    }

    private @Nullable OutboundChannel open(PeerMessenger messenger) {
        if (!messenger.binding().bind(link, context.peer())) {
            // This wake-up was also meant for the link to which the messenger is bound. If that is this one, the
            // channel has ended, and its
            // messages are about to fail: a callback of the first of them has caused the wake-up.
            if (!messenger.binding().isBoundTo(link)) {
                messenger.binding().wakeCarrier();
            }
            return null;
        }
        boolean possible = context.remote().hasSecureChannels() && channels.protection(true) != ChannelProtection.NONE;
        if (messenger.isSecure() && !possible) {
            messenger.fail(ErrorCode.SECURITY_MISMATCH.exception("secure channel to peer " + context.peer()
                    + ": the peer has an earlier version without secure channels; update that peer"));
            return null;
        }
        if (byMessenger.size() >= maxChannels || lastHandle == Integer.MAX_VALUE) {
            messenger.fail(ErrorCode.BUSY.exception("maxChannels: " + byMessenger.size() + " of " + maxChannels
                    + " channels are open on the " + context
                    + "; raise EndpointLimits.maxChannels or close messengers"));
            return null;
        }
        MessageEncoder encoder;
        try {
            encoder = context.codecs().newEncoder(messenger.codecs());
        } catch (ParleyException e) {
            messenger.fail(e);
            return null;
        }
        messenger.binding().setEncoder(encoder);
        boolean acknowledged = context.isAcknowledging() && !messenger.queue().isBestEffort();
        OutboundChannel channel = new OutboundChannel(channels, messenger, ++lastHandle, encoder, acknowledged);
        byMessenger.put(messenger, channel);
        byHandle.put(channel.handle(), channel);
        if (started) {
            writeOpen(channel);
        }
        return channel;
    }

    private void writeOpen(OutboundChannel channel) {
        PeerMessenger messenger = channel.messenger();
        String name = channel.codecName();
        String codec = name.equals(context.codecs().agreed().name()) ? "" : name;
        ChannelProtection protection = channels.protection(messenger.isSecure());
        Open open = channel.isAcknowledged()
                ? messenger.sequence().newOpen(codec, protection)
                : messenger.sequence().newOpenWithoutAcknowledgement(codec, protection);
        if (byHandle.get(channel.handle()) != channel) {
            return; // the callback of a message that was lost has closed the messenger
        }
        channel.onAnnounced();
        connection.write(frames.open(channel.handle(), open), null);
        connection.flush();
    }

    /** Opens the channels that wait for the remote peer to be authenticated. */
    void start() {
        started = true;
        for (int handle = 1; handle <= lastHandle; handle++) {
            OutboundChannel channel = byHandle.get(handle);
            if (channel != null) {
                writeOpen(channel);
            }
        }
    }

    void onOpened(int handle, Opened opened) {
        OutboundChannel channel = byHandle.get(handle);
        if (channel == null) {
            return; // ended meanwhile
        }
        if (channel.isOpened() || opened.window() < 0) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("unexpected OPENED frame on handle " + handle + " with window "
                    + opened.window() + " (expected: once, with a window >= 0)");
        }
        PeerMessenger messenger = channel.messenger();
        int again = channel.isAcknowledged() ? messenger.sequence().onOpened(opened.received()) : 0;
        ParleyException unsuitable = channel.queue().selectSchemes(context.peer(), opened, channel.isAcknowledged());
        if (unsuitable != null) {
            end(channel);
            messenger.fail(unsuitable);
            finishRetiring();
            return;
        }
        context.metrics().add(Counter.MESSAGES_RESENT, again);
        channel.onOpened(opened.window());
        messenger.sequence().onResolved();
        queueIfReady(channel);
        writeReady();
        endIfDone(channel);
    }

    /** Ends a channel to a receiver to which the messenger must not send. */
    private void end(OutboundChannel channel) {
        byMessenger.remove(channel.messenger());
        byHandle.remove(channel.handle());
        connection.write(frames.end(channel.handle()), null);
        connection.flush();
    }

    void onRefuse(int handle, WireStatus status, OptionalLong received) {
        OutboundChannel channel = byHandle.remove(handle);
        if (channel == null) {
            return;
        }
        PeerMessenger messenger = channel.messenger();
        byMessenger.remove(messenger);
        ready.remove(channel);
        ParleyException cause = status.toException("service " + messenger.service() + " of peer " + context.peer());
        channel.release(cause);
        try {
            messenger.onRefused(received, cause);
        } catch (PeerFaultException e) {
            byMessenger.put(messenger, channel); // so that the close of this link passes it to the next one
            throw e;
        }
        finishRetiring();
    }

    void onAck(int handle, long count, long credit) {
        OutboundChannel channel = byHandle.get(handle);
        if (channel == null) {
            return; // ended meanwhile
        }
        if (!channel.isAcknowledged() || !channel.isOpened()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("unexpected ACK frame on handle " + handle);
        }
        channel.addCredit(credit);
        channel.queue().onAcknowledged(count);
        queueIfReady(channel);
        writeReady();
        endIfDone(channel);
    }

    void onCredit(int handle, long bytes) {
        if (bytes == 0) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("credit of handle " + handle + ": 0 bytes (expected: > 0)");
        }
        OutboundChannel channel = byHandle.get(handle);
        if (channel != null) {
            channel.addCredit(bytes);
            queueIfReady(channel);
            writeReady();
        }
    }

    /** Gives back unused credit of a channel, which the receiver asks for. */
    void onShrink(int handle, long bytes) {
        OutboundChannel channel = byHandle.get(handle);
        if (channel == null) {
            return; // ended meanwhile
        }
        if (!context.isAcknowledging() || !channel.isOpened()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("unexpected SHRINK frame on handle " + handle);
        }
        channels.respondShrunk(handle, channel.removeCredit(bytes));
    }

    private void queueIfReady(OutboundChannel channel) {
        if (ready.contains(channel) || !mayWrite(channel)) {
            return;
        }
        if (channel.isReady()) {
            ready.add(channel);
        } else if (channel.mustReportBlocked()) {
            channels.respondBlocked(channel.handle());
        }
    }

    /** Returns whether the channel may write: a retiring link completes the messages in progress and starts no others. */
    private boolean mayWrite(OutboundChannel channel) {
        return !retiring || channel.isInMessage();
    }

    void writeReady() {
        if (writing) {
            return; // called from the callback of a future; the loop below continues with the new message
        }
        writing = true;
        boolean wrote = false;
        if (!ready.isEmpty() && connection.isWritable()) {
            channels.acks().onMessagesFollow();
        }
        try {
            while (connection.isWritable()) {
                OutboundChannel channel = ready.poll();
                if (channel == null) {
                    break;
                }
                channel.writeNext(connection, frames);
                wrote = true;
                queueIfReady(channel);
                endIfDone(channel);
            }
        } finally {
            writing = false;
        }
        if (wrote) {
            connection.flush();
        }
        finishRetiring();
    }

    private void endIfDone(OutboundChannel channel) {
        PeerMessenger messenger = channel.messenger();
        if (!channel.isInMessage() && channel.queue().isDone() && byMessenger.remove(messenger, channel)) {
            byHandle.remove(channel.handle());
            if (!channel.isAnnounced()) {
                messenger.finish();
                return;
            }
            connection.write(frames.end(channel.handle()), failure -> messenger.finish());
            connection.flush();
        }
    }

    /**
     * Starts no further message. Calls {@link LinkCloser#onSenderRetired} after the messages in progress are written, and all are
     * acknowledged if the remote peer does that.
     */
    void retire() {
        if (!retiring) {
            retiring = true;
            unsettled.addAll(byMessenger.values());
            ready.removeIf(channel -> !channel.isInMessage());
        }
        finishRetiring();
    }

    private void finishRetiring() {
        if (isRetired()) {
            context.closer().onSenderRetired();
        }
    }

    boolean isRetiring() {
        return retiring;
    }

    /** Returns whether no message will be sent, and no acknowledgement will come. */
    boolean isRetired() {
        return retiring && ready.isEmpty() && !hasUnacknowledged();
    }

    /** Looks at each channel once, however often the remote peer causes a call. */
    private boolean hasUnacknowledged() {
        if (!started || !context.isAcknowledging()) {
            return false;
        }
        OutboundChannel next = unsettled.peek();
        while (next != null && !hasUnacknowledged(next)) {
            unsettled.remove();
            next = unsettled.peek();
        }
        return next != null;
    }

    private boolean hasUnacknowledged(OutboundChannel channel) {
        return byMessenger.get(channel.messenger()) == channel
                && channel.queue().hasUnacknowledged();
    }

    /**
     * Releases the channels of a closed connection. Messengers that are not done continue on the next link.
     *
     * @param refusal the reason why the remote peer has dropped the link and may drop the next one; {@code null} if there is none
     */
    void close(@Nullable Throwable cause, @Nullable ParleyException refusal) {
        retiring = true;
        List<OutboundChannel> ended = new ArrayList<>(byMessenger.values());
        byMessenger.clear();
        byHandle.clear();
        ready.clear();
        ParleyException reason = isFinal(cause) ? (ParleyException) cause : refusal;
        for (OutboundChannel channel : ended) {
            channel.release(cause);
            if (channel.isOpened()) {
                channel.messenger().onLinkLost(refusal, cause);
            } else if (tunneled) {
                channel.messenger().onTunnelFailed(reason, cause);
            } else {
                channel.messenger().onOpeningFailed(refusal, cause);
            }
        }
    }

    private static boolean isFinal(@Nullable Throwable cause) {
        return cause instanceof ParleyException known && known.code().remedy() != ErrorCode.Remedy.RETRY;
    }
}
