package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers that were told nothing at all, on the network that this machine has, be it that inside it. */
@Timeout(60)
class LanTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Test
    void lan_withoutAnyConfiguration_twoPeersFindAndReachEachOther() throws Exception {
        try (Peer alice = Peer.lan().name("alice").start();
                Peer bob = Peer.lan().name("bob").start()) {
            assertThat(find(alice, bob.id())).isEqualTo("bob");
            assertThat(find(bob, alice.id())).isEqualTo("alice");
            assertThat(alice.endpoint().ping(bob.id()).get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isPositive();
        }
    }

    /** The name that a peer shows to others. */
    private static String find(Peer asker, PeerId wanted) throws Exception {
        DiscoveryQuery query = DiscoveryQuery.of(PeerAdvertisement.TYPE_NAME)
                .with("PID", AdvertisementId.of(wanted).urn());
        long began = System.nanoTime();
        List<SignedAdvertisement> found;
        do { // a search waits only for as long as peers nearby usually need
            found = asker.netGroup()
                    .discovery()
                    .find(query, SearchOptions.of(PATIENCE, 1))
                    .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } while (found.isEmpty() && System.nanoTime() - began < PATIENCE.toNanos());
        assertThat(found).hasSize(1);
        return String.valueOf(((PeerAdvertisement) found.get(0).advertisement()).name());
    }
}
