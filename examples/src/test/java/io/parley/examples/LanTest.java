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

/** Peers without any configuration, on a real network interface of this machine. */
@Timeout(60)
class LanTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @Test
    void lan_withoutAnyConfiguration_twoPeersFindAndReachEachOther() throws Exception {
        try (Peer alice = Peer.lan().name("alice").start();
                Peer bob = Peer.lan().name("bob").start()) {
            assertThat(find(alice, bob.id())).isEqualTo("bob");
            assertThat(find(bob, alice.id())).isEqualTo("alice");
            assertThat(alice.endpoint().ping(bob.id()).get(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                    .isPositive();
        }
    }

    /** Returns the published name of a peer. */
    private static String find(Peer searcher, PeerId wanted) throws Exception {
        DiscoveryQuery query = DiscoveryQuery.of(PeerAdvertisement.TYPE_NAME)
                .with("PID", AdvertisementId.of(wanted).urn());
        long start = System.nanoTime();
        List<SignedAdvertisement> found;
        do { // one search waits only as long as peers on the local network usually need
            found = searcher.netGroup()
                    .discovery()
                    .find(query, SearchOptions.of(TIMEOUT, 1))
                    .get(2 * TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } while (found.isEmpty() && System.nanoTime() - start < TIMEOUT.toNanos());
        assertThat(found).hasSize(1);
        return String.valueOf(((PeerAdvertisement) found.get(0).advertisement()).name());
    }
}
