package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.transport.PeerAddress;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RendezvousCandidatesTest {

    private final RendezvousCandidates candidates = new RendezvousCandidates(List.of(), new Random(1));

    private static PeerId peer() {
        return Identity.generate().peerId();
    }

    private Set<PeerId> all() {
        return candidates.others(null).stream()
                .map(Seed::peer)
                .flatMap(Optional::stream)
                .collect(Collectors.toSet());
    }

    @Test
    void referralsOfOneRendezvous_doNotPushOutThoseOfAnother() {
        PeerId bob = peer();
        PeerId mallory = peer();
        PeerId carol = peer();
        candidates.add(bob, PeerAddress.of(carol));
        candidates.add(mallory, PeerAddress.of(carol)); // it stays one of bob
        for (int i = 0; i < 1000; i++) {
            candidates.add(mallory, PeerAddress.of(peer()));
        }
        assertThat(all()).contains(carol).hasSize(1 + LeaseRequest.MAX_REFERRALS);
    }

    @Test
    void referral_replacesTheOldestOfItsBringer() {
        PeerId bob = peer();
        PeerId first = peer();
        PeerId last = peer();
        candidates.add(bob, PeerAddress.of(first));
        for (int i = 0; i < LeaseRequest.MAX_REFERRALS - 1; i++) {
            candidates.add(bob, PeerAddress.of(peer()));
        }
        assertThat(all()).contains(first);
        candidates.add(bob, PeerAddress.of(last));
        assertThat(all()).contains(last).doesNotContain(first).hasSize(LeaseRequest.MAX_REFERRALS);
    }
}
