package io.parley.pipes.internal.request;

import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.id.PeerId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The known holders of a service, a bounded number. Reading takes no lock. Thread-safe. */
public final class HolderTable {

    private final Endpoint endpoint;
    private final int maxHolders;

    /** Replaced with the lock, never modified. */
    private volatile List<HolderChannel> channels = List.of();

    private boolean closed;

    /** @param maxHolders the maximum number of holders that share the requests of this peer */
    public HolderTable(Endpoint endpoint, int maxHolders) {
        this.endpoint = endpoint;
        this.maxHolders = maxHolders;
    }

    int maxHolders() {
        return maxHolders;
    }

    /** Returns the known holders. Unmodifiable. */
    public List<HolderChannel> channels() {
        return channels;
    }

    /**
     * Returns the holder with the fewest pending requests of those that are not too busy for the request, and of these one that is
     * connected if there is one.
     */
    @Nullable
    HolderChannel select(PendingRequest request) {
        return best(request);
    }

    /** Returns the holder with the fewest pending requests; {@code null} if no holder is known. */
    @Nullable
    HolderChannel selectAny() {
        return best(null);
    }

    private @Nullable HolderChannel best(@Nullable PendingRequest request) {
        List<HolderChannel> known = channels;
        HolderChannel best = null;
        for (int i = 0; i < known.size(); i++) {
            HolderChannel candidate = known.get(i);
            boolean usable = request == null || !request.isBusy(candidate.peer());
            if (usable && (best == null || isBetter(candidate, best))) {
                best = candidate;
            }
        }
        return best;
    }

    private static boolean isBetter(HolderChannel candidate, HolderChannel other) {
        return candidate.isConnected() == other.isConnected()
                ? candidate.pending() < other.pending()
                : candidate.isConnected();
    }

    @Nullable
    HolderChannel find(PeerId peer) {
        for (HolderChannel channel : channels) {
            if (channel.peer().equals(peer)) {
                return channel;
            }
        }
        return null;
    }

    boolean hasConnected() {
        return channels.stream().anyMatch(HolderChannel::isConnected);
    }

    /** Returns whether a further holder can be added. */
    boolean hasRoom() {
        List<HolderChannel> known = channels;
        return known.size() < maxHolders || known.stream().anyMatch(HolderTable::isReplaceable);
    }

    private static boolean isReplaceable(HolderChannel channel) {
        return !channel.isConnected() && channel.pending() == 0;
    }

    /** Adds a holder that has responded, or closes the messenger if it is known already or there are too many. */
    void add(Messenger messenger) {
        HolderChannel added = new HolderChannel(messenger);
        PeerId peer = messenger.peer();
        HolderChannel replaced = null;
        synchronized (this) {
            List<HolderChannel> next = new ArrayList<>(channels);
            if (next.size() >= maxHolders) {
                replaced = next.stream()
                        .filter(HolderTable::isReplaceable)
                        .findFirst()
                        .orElse(null);
                next.remove(replaced);
            }
            if (closed || find(peer) != null || next.size() >= maxHolders) {
                messenger.closeAsync();
                return;
            }
            next.add(added);
            channels = List.copyOf(next);
        }
        if (replaced != null) {
            replaced.messenger().closeAsync();
        }
        boolean connected;
        do { // events from now on set the state, but one may have come before this call has set it
            connected = isConnected(peer);
            added.setConnected(connected);
        } while (connected != isConnected(peer));
    }

    private boolean isConnected(PeerId peer) {
        return peer.equals(endpoint.peerId()) || endpoint.isConnected(peer);
    }

    /** Removes a holder. Returns false if it is not there. */
    public synchronized boolean remove(HolderChannel channel) {
        List<HolderChannel> next = new ArrayList<>(channels);
        boolean removed = next.remove(channel);
        channels = List.copyOf(next);
        return removed;
    }

    public CompletableFuture<Void> closeAsync() {
        List<HolderChannel> open;
        synchronized (this) {
            closed = true;
            open = channels;
            channels = List.of();
        }
        return CompletableFuture.allOf(
                open.stream().map(channel -> channel.messenger().closeAsync()).toArray(CompletableFuture<?>[]::new));
    }
}
