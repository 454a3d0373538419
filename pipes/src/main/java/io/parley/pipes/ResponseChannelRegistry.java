package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Timers;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.error.ErrorCode;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The channels for the responses of this peer, over the connections that the requesters have opened. Keeps one channel for each inbox of
 * a connected requester. Thread-safe.
 */
final class ResponseChannelRegistry {

    /** The maximum number of channels: those of as many peers as may be connected, and of some that may come back. */
    static final int MAX_CHANNELS = 8192;

    private final PeerGroup group;
    private final Endpoint endpoint;
    private final ConcurrentMap<ResponseInbox, ResponseChannel> channels = new ConcurrentHashMap<>();

    /** The last loss of each requester whose return is awaited. */
    private final ConcurrentMap<PeerId, Object> losses = new ConcurrentHashMap<>();

    private final AsyncCloseable connections;
    private volatile boolean closing;

    ResponseChannelRegistry(PeerGroup group) {
        this.group = group;
        this.endpoint = group.endpoint();
        this.connections = endpoint.addPeerConnectionListener(new PeerConnectionListener() {
            @Override
            public void onDisconnected(PeerId peer) {
                closeLater(peer);
            }
        });
    }

    /**
     * Returns the channel to an inbox.
     *
     * @throws io.parley.error.ParleyException {@link ErrorCode#CLOSED}; {@link ErrorCode#BUSY} if there are too many channels
     */
    ResponseChannel channel(ResponseInbox inbox) {
        ResponseChannel known = channels.get(inbox);
        return known != null && !known.isClosing() ? known : open(inbox);
    }

    private ResponseChannel open(ResponseInbox inbox) {
        if (closing) {
            throw ErrorCode.CLOSED.exception("group " + group.name() + ": closed");
        }
        if (channels.size() >= MAX_CHANNELS) {
            throw ErrorCode.BUSY.exception(
                    "channels for responses: " + (channels.size() + 1) + " (expected: <= " + MAX_CHANNELS + ")");
        }
        ResponseChannel channel = channels.compute(
                inbox,
                (key, old) -> old != null && !old.isClosing() ? old : new ResponseChannel(key.newMessenger(endpoint)));
        if (closing) { // meanwhile
            channel.closeAsync();
        } else if (!endpoint.isConnected(inbox.requester())) {
            closeLater(inbox.requester()); // there may be no further event
        }
        return channel;
    }

    /** Closes the channels of a requester that does not come back. */
    private void closeLater(PeerId peer) {
        if (!peer.equals(endpoint.peerId())
                && channels.keySet().stream()
                        .anyMatch(inbox -> inbox.requester().equals(peer))) {
            Object loss = new Object();
            losses.put(peer, loss);
            Timers.schedule(group.scheduler(), endpoint.limits().reconnectTimeout(), group.workExecutor(), () -> {
                if (losses.remove(peer, loss)) { // otherwise it was connected meanwhile, and has more time
                    close(peer);
                }
            });
        }
    }

    private void close(PeerId peer) {
        if (!endpoint.isConnected(peer)) {
            channels.forEach((inbox, channel) -> {
                if (inbox.requester().equals(peer) && channels.remove(inbox, channel)) {
                    channel.abort();
                }
            });
        }
    }

    /** Returns the number of channels. */
    int channelCount() {
        return channels.size();
    }

    /** Returns a future that completes when the responses that were queued before are acknowledged, or will not be. */
    CompletableFuture<Void> closeAsync() {
        closing = true;
        connections.closeAsync();
        List<ResponseChannel> open = List.copyOf(channels.values());
        channels.clear();
        return CompletableFuture.allOf(
                open.stream().map(ResponseChannel::closeAsync).toArray(CompletableFuture<?>[]::new));
    }
}
