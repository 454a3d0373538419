package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.Connection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a link. Opens a channel for each messenger, and writes the channels with queued messages in turn, one
 * frame each, while the connection is writable. Confined to the event loop of the link.
 */
final class LinkSender {

    private final Link link;
    private final Connection connection;
    private final FrameWriter frames;
    private final int maxChannels;
    private final IdentityHashMap<PeerMessenger, OutboundChannel> byMessenger = new IdentityHashMap<>();
    private final IntObjectMap<OutboundChannel> byHandle = new IntObjectHashMap<>();
    private final Queue<OutboundChannel> ready = new ArrayDeque<>();
    private int lastHandle;
    private boolean writing;
    private boolean retiring;

    LinkSender(Link link, Connection connection, FrameWriter frames, int maxChannels) {
        this.link = link;
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
                if (!messenger.isBoundTo(link)) { // otherwise its END frame is queued already
                    messenger.wakeCarrier(); // another link, now or later
                }
                return;
            }
            if (!messenger.needsChannel()) {
                messenger.finishIfDone();
                return;
            }
            channel = open(messenger);
            if (channel == null) {
                return;
            }
        }
        queueIfReady(channel);
        writeReady();
        endIfDone(channel);
    }

    private @Nullable OutboundChannel open(PeerMessenger messenger) {
        if (!messenger.bind(link)) {
            messenger.wakeCarrier(); // this wake-up was also meant for the link to which the messenger is bound
            return null;
        }
        if (byMessenger.size() >= maxChannels || lastHandle == Integer.MAX_VALUE) {
            messenger.fail(ErrorCode.BUSY.exception("maxChannels: " + byMessenger.size() + " of " + maxChannels
                    + " channels are open on the " + link
                    + "; raise EndpointLimits.maxChannels or close messengers"));
            return null;
        }
        MessageEncoder encoder;
        try {
            encoder = link.codecs().newEncoder(messenger.codecs());
        } catch (ParleyException e) {
            messenger.fail(e);
            return null;
        }
        messenger.setEncoder(encoder);
        OutboundChannel channel = new OutboundChannel(link, messenger, ++lastHandle, encoder);
        byMessenger.put(messenger, channel);
        byHandle.put(channel.handle(), channel);
        connection.write(openFrame(channel.handle(), messenger.service(), encoder.codecName()), null);
        connection.flush();
        return channel;
    }

    private ByteBuf openFrame(int handle, ServiceAddress service, String codec) {
        return codec.equals(link.codecs().agreed().name())
                ? frames.open(handle, service)
                : frames.open(handle, service, codec);
    }

    void onOpened(int handle, long window) {
        OutboundChannel channel = byHandle.get(handle);
        if (channel == null) {
            return; // ended meanwhile
        }
        if (channel.isOpened() || window < 0) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("unexpected OPENED frame on handle " + handle + " with window "
                    + window + " (expected: once, with a window >= 0)");
        }
        channel.onOpened(window);
        channel.messenger().onResolved();
        queueIfReady(channel);
        writeReady();
        endIfDone(channel);
    }

    void onRefuse(int handle, WireStatus status) {
        OutboundChannel channel = byHandle.remove(handle);
        if (channel == null) {
            return;
        }
        PeerMessenger messenger = channel.messenger();
        byMessenger.remove(messenger);
        ready.remove(channel);
        ParleyException cause = status.toException("service " + messenger.service() + " of peer " + link.peer());
        channel.fail(cause);
        messenger.fail(cause);
        finishRetiring();
    }

    void onCredit(int handle, long bytes) {
        OutboundChannel channel = byHandle.get(handle);
        if (channel != null) {
            channel.addCredit(bytes);
            queueIfReady(channel);
            writeReady();
        }
    }

    private void queueIfReady(OutboundChannel channel) {
        if (!channel.isQueued() && channel.isReady() && mayWrite(channel)) {
            channel.setQueued(true);
            ready.add(channel);
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
        try {
            while (connection.isWritable()) {
                OutboundChannel channel = ready.poll();
                if (channel == null) {
                    break;
                }
                channel.setQueued(false);
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
        if (!channel.isInMessage() && messenger.isDone() && byMessenger.remove(messenger, channel)) {
            byHandle.remove(channel.handle());
            connection.write(frames.end(channel.handle()), failure -> messenger.finish());
            connection.flush();
        }
    }

    /** Starts no further message. Calls {@link Link#onSenderRetired} after the messages in progress are written. */
    void retire() {
        retiring = true;
        ready.removeIf(channel -> {
            boolean drop = !channel.isInMessage();
            if (drop) {
                channel.setQueued(false);
            }
            return drop;
        });
        finishRetiring();
    }

    private void finishRetiring() {
        if (retiring && ready.isEmpty()) {
            link.onSenderRetired();
        }
    }

    /** Releases the channels of a closed connection. Messengers that are not done continue on the next link. */
    void close(@Nullable Throwable cause) {
        retiring = true;
        List<OutboundChannel> channels = new ArrayList<>(byMessenger.values());
        byMessenger.clear();
        byHandle.clear();
        ready.clear();
        for (OutboundChannel channel : channels) {
            channel.fail(cause);
            channel.messenger().onLinkLost();
        }
    }
}
