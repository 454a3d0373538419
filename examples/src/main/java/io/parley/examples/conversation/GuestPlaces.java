package io.parley.examples.conversation;

import io.parley.id.PeerId;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The places of a server for conversations. One peer gets at most a quarter of them, and at least one, because a guest may keep its
 * place for a long time and say nothing. Thread-safe.
 */
final class GuestPlaces {

    private static final int MIN_PEERS = 4;

    private final int maxGuests;
    private final int maxPerPeer;
    private final Map<PeerId, Integer> placesOfPeers = new HashMap<>();
    private int taken;

    GuestPlaces(int maxGuests) {
        this.maxGuests = maxGuests;
        this.maxPerPeer = Math.max(1, maxGuests / MIN_PEERS);
    }

    /** Takes a place for a peer. Returns {@code null}, or the reason if there is none. */
    synchronized @Nullable String tryAcquire(PeerId peer) {
        if (taken == maxGuests) {
            return maxGuests == 1
                    ? "this command serves one peer, and another peer is connected"
                    : "this command serves " + maxGuests + " peers at a time, and as many are connected";
        }
        int ofPeer = placesOfPeers.getOrDefault(peer, 0);
        if (ofPeer == maxPerPeer) {
            return "this command has at most " + maxPerPeer + " conversations with one peer at a time";
        }
        placesOfPeers.put(peer, ofPeer + 1);
        taken++;
        return null;
    }

    synchronized void release(PeerId peer) {
        placesOfPeers.computeIfPresent(peer, (key, places) -> places == 1 ? null : places - 1);
        taken--;
    }
}
