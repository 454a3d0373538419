package io.parley.rendezvous;

import io.parley.endpoint.PeerAddress;
import io.parley.id.PeerId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The rendezvous that a client could turn to: seeds, and those that it was told of. Thread-safe. */
final class Candidates {

    private static final int MAX_REFERRALS = 64;

    private final List<Seed> seeds;
    private final Random random;

    /** The one told of last is the last. */
    private final Map<PeerId, PeerAddress> referrals = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<PeerId, PeerAddress> eldest) {
            return size() > MAX_REFERRALS;
        }
    };

    Candidates(List<Seed> seeds, Random random) {
        this.seeds = List.copyOf(seeds);
        this.random = random;
    }

    synchronized void add(PeerAddress referral) {
        referrals.remove(referral.peer());
        referrals.put(referral.peer(), referral);
    }

    /** It did not answer. A seed will be tried again. */
    synchronized void forget(PeerId peer) {
        referrals.remove(peer);
    }

    /** All, in random order, so that clients spread; the one that was just lost at the end. */
    synchronized List<Seed> round(@Nullable PeerId lost) {
        Map<Boolean, List<Seed>> parts =
                new ArrayList<>(seeds).stream().collect(Collectors.partitioningBy(seed -> isOf(seed, lost)));
        List<Seed> round = new ArrayList<>(parts.getOrDefault(false, List.of()));
        List<Seed> last = new ArrayList<>(parts.getOrDefault(true, List.of()));
        referrals.forEach((peer, address) -> {
            if (seeds.stream().noneMatch(seed -> isOf(seed, peer))) {
                (peer.equals(lost) ? last : round).add(new Seed.Known(address));
            }
        });
        Collections.shuffle(round, random);
        round.addAll(last);
        return round;
    }

    private static boolean isOf(Seed seed, @Nullable PeerId peer) {
        return peer != null && seed.peer().filter(peer::equals).isPresent();
    }
}
