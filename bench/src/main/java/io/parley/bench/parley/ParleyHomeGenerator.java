package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.discovery.Discovery;
import io.parley.discovery.DiscoveryLimits;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Publication;
import io.parley.discovery.SearchOptions;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Generates any number of advertisements, and homes of peers that have received them. */
public final class ParleyHomeGenerator {

    /** The limits of a peer that publishes or searches for up to a million advertisements at once. */
    static final DiscoveryLimits DISCOVERY_LIMITS = DiscoveryLimits.DEFAULTS.toBuilder()
            .maxPublications(1_000_000)
            .maxResults(1_000_000)
            .build();

    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    private ParleyHomeGenerator() {}

    /** Returns the name of a pipe. */
    public static String pipe(int number) {
        return "pipe " + number;
    }

    /** Publishes pipes in the net group, and waits until the index has them. */
    static void publish(Peer peer, int from, int to) {
        Discovery discovery = peer.netGroup().discovery();
        List<CompletableFuture<Void>> indexed = new ArrayList<>();
        for (int number = from; number < to; number++) {
            Publication publication = discovery.publish(
                    PipeAdvertisement.of(PipeId.ofName(GroupId.NET, pipe(number)), PipeType.UNICAST, pipe(number)));
            indexed.add(publication.whenIndexed());
        }
        CompletableFuture.allOf(indexed.toArray(CompletableFuture<?>[]::new)).join();
    }

    /** Creates a home with an identity and a store that holds that many advertisements of another peer. */
    public static void fill(Path home, int count) {
        try (Peer rendezvous = Peer.loopback()
                        .actAsRendezvous()
                        .rendezvousLimits(RendezvousMain.LIMITS)
                        .discoveryLimits(DISCOVERY_LIMITS)
                        .start();
                Peer peer = Peer.loopback()
                        .home(home)
                        .rendezvous(rendezvous.address())
                        .discoveryLimits(DISCOVERY_LIMITS)
                        .start()) {
            if (count > 0) {
                publish(rendezvous, 0, count);
                peer.netGroup().whenOnline().join();
                int found = peer.netGroup()
                        .discovery()
                        .find(
                                DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME),
                                SearchOptions.of(TIMEOUT, count).withScope(SearchOptions.Scope.LOCAL_AND_REMOTE))
                        .join()
                        .size();
                if (found < count) {
                    throw new IllegalStateException("advertisements: " + found + " (expected: " + count + ")");
                }
            }
            peer.netGroup().discovery().flush().join();
        }
    }
}
