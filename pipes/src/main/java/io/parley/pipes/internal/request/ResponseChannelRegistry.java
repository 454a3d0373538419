package io.parley.pipes.internal.request;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.HostShares;
import io.parley.common.internal.Timers;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.pipes.internal.PeerHosts;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The channels for the responses of this peer, over the connections that the requesters have opened. Keeps one channel for each inbox of
 * a connected requester. Thread-safe.
 */
final class ResponseChannelRegistry {

    /** The maximum number of channels, shared by the hosts: those of as many peers as may be connected, and of some that may come back. */
    static final int MAX_CHANNELS = 8192;

    private final PeerGroup group;
    private final Endpoint endpoint;
    private final ConcurrentMap<ResponseInbox, ResponseChannel> channels = new ConcurrentHashMap<>();
    private final HostShares hosts = new HostShares(MAX_CHANNELS);

    /** The last loss of each requester whose return is awaited. */
    private final ConcurrentMap<PeerId, Object> losses = new ConcurrentHashMap<>();

    private final AsyncCloseable connections;
    private boolean closing;

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
     * @throws ParleyException {@link ErrorCode#CLOSED}; {@link ErrorCode#BUSY} if there are too many channels
     */
    ResponseChannel channel(ResponseInbox inbox) {
        ResponseChannel known = channels.get(inbox);
        return known != null && !known.isClosing() ? known : open(inbox);
    }

    private ResponseChannel open(ResponseInbox inbox) {
        ResponseChannel evicted = null;
        try {
            synchronized (this) {
                if (closing) {
                    throw ErrorCode.CLOSED.exception("group " + group.name() + ": closed");
                }
                ResponseChannel known = channels.get(inbox);
                if (known != null && !known.isClosing()) {
                    return known;
                }
                if (known != null) {
                    remove(inbox, known);
                }
                String host = PeerHosts.of(endpoint, inbox.requester());
                if (!hosts.tryAcquire(host, 1)) {
                    evicted = evictFor(host);
                }
                return open(inbox, host);
            }
        } finally {
            if (evicted != null) {
                evicted.closeAsync(); // its queued responses are sent
            }
        }
    }

    /** Opens a channel in the share of a host, which has acquired it. */
    private ResponseChannel open(ResponseInbox inbox, String host) {
        ResponseChannel channel;
        try {
            channel = new ResponseChannel(inbox.newMessenger(endpoint), host);
        } catch (RuntimeException | Error e) {
            hosts.release(host, 1);
            throw e;
        }
        channels.put(inbox, channel);
        if (!endpoint.isConnected(inbox.requester())) {
            closeLater(inbox.requester()); // there may be no further event
        }
        return channel;
    }

    /** Removes a channel of the largest host, and gives its place to another host that is below its share. */
    private ResponseChannel evictFor(String host) {
        String largest = hosts.largestHost().orElse(host);
        if (largest.equals(host) || !hosts.isBelowShare(host, 1)) {
            throw tooManyChannels();
        }
        Map.Entry<ResponseInbox, ResponseChannel> evicted = channels.entrySet().stream()
                .filter(entry -> entry.getValue().host().equals(largest))
                .reduce((one, other) -> one.getValue().isWritable() ? one : other) // which loses no response
                .orElseThrow(this::tooManyChannels);
        channels.remove(evicted.getKey());
        hosts.transfer(largest, host, 1);
        return evicted.getValue();
    }

    private ParleyException tooManyChannels() {
        return ErrorCode.BUSY.exception("channels for responses: " + (channels.size() + 1) + " (expected: <= "
                + MAX_CHANNELS + ", shared by the hosts)");
    }

    /** Returns whether the channel was there. */
    private synchronized boolean remove(ResponseInbox inbox, ResponseChannel channel) {
        boolean removed = channels.remove(inbox, channel);
        if (removed) {
            hosts.release(channel.host(), 1);
        }
        return removed;
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
                if (inbox.requester().equals(peer) && remove(inbox, channel)) {
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
        List<ResponseChannel> open;
        synchronized (this) {
            closing = true;
            open = List.copyOf(channels.values());
            channels.clear();
        }
        connections.closeAsync();
        return CompletableFuture.allOf(
                open.stream().map(ResponseChannel::closeAsync).toArray(CompletableFuture<?>[]::new));
    }
}
