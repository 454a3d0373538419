package io.parley.rendezvous.internal;

import io.parley.id.PeerId;
import io.parley.transport.PeerAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rendezvous at which a client may acquire a lease: seeds and referrals. Thread-safe. */
final class RendezvousCandidates {

    private static final int MAX_REFERRALS = 64;

    /** The maximum number of referrals of one rendezvous. So none of them can push out those of all others. */
    private static final int MAX_REFERRALS_OF_ONE = LeaseRequest.MAX_REFERRALS;

    private record Referral(PeerAddress address, PeerId bringer) {}

    private final List<Seed> seeds;
    private final Random random;

    /** The last peers at the seeds that have no peer id. */
    private final Map<Seed, PeerId> identified = new HashMap<>();

    /** The referrals, the newest one last. */
    private final Map<PeerId, Referral> referrals = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<PeerId, Referral> eldest) {
            return size() > MAX_REFERRALS;
        }
    };

    RendezvousCandidates(List<Seed> seeds, Random random) {
        this.seeds = List.copyOf(seeds);
        this.random = random;
    }

    /** Returns the configured addresses, as text. */
    List<String> seedAddresses() {
        return seeds.stream().map(Seed::toString).toList();
    }

    /**
     * Adds a referral. It replaces the oldest one of the same bringer if that has brought too many.
     *
     * @param bringer the rendezvous that has named the other one
     */
    synchronized void add(PeerId bringer, PeerAddress referral) {
        Referral known = referrals.remove(referral.peer());
        PeerId owner = known == null ? bringer : known.bringer();
        List<PeerId> brought = referrals.entrySet().stream()
                .filter(entry -> entry.getValue().bringer().equals(owner))
                .map(Map.Entry::getKey)
                .toList();
        if (brought.size() >= MAX_REFERRALS_OF_ONE) {
            referrals.remove(brought.get(0));
        }
        referrals.put(referral.peer(), new Referral(referral, owner));
    }

    /** Removes the referral of a peer that did not respond. A seed is tried again. */
    synchronized void remove(PeerId peer) {
        referrals.remove(peer);
    }

    /** Records the peer that was connected at a seed. */
    synchronized void identified(Seed seed, PeerId peer) {
        identified.put(seed, peer);
    }

    /** Returns all candidates in random order, so that clients are balanced; the one that was just lost is the last. */
    synchronized List<Seed> round(@Nullable PeerId lost) {
        List<Seed> round = others(lost);
        if (lost != null) {
            seeds.stream().filter(seed -> lost.equals(peerOf(seed))).forEach(round::add);
            Referral referral = referrals.get(lost);
            if (referral != null) {
                round.add(new Seed.PeerSeed(referral.address()));
            }
        }
        return round;
    }

    /** Returns all candidates except one, in random order. */
    synchronized List<Seed> others(@Nullable PeerId excluded) {
        List<Seed> others = new ArrayList<>();
        Set<PeerId> added = new HashSet<>();
        for (Seed seed : seeds) {
            PeerId peer = peerOf(seed);
            if (peer == null || (!peer.equals(excluded) && added.add(peer))) {
                others.add(seed);
            }
        }
        referrals.forEach((peer, referral) -> {
            if (!peer.equals(excluded) && added.add(peer)) {
                others.add(new Seed.PeerSeed(referral.address()));
            }
        });
        Collections.shuffle(others, random);
        return others;
    }

    private @Nullable PeerId peerOf(Seed seed) {
        return seed.peer().orElseGet(() -> identified.get(seed));
    }
}
