package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.discovery.DiscoveryQuery;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousContextFixture.PendingQuery;
import io.parley.transport.EndpointAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The index of a client in manual time, without a network. */
class ClientIndexTest {

    private static final EndpointAddress FIRST = EndpointAddress.parse("mem://first");
    private static final EndpointAddress SECOND = EndpointAddress.parse("mem://second");
    private static final GroupId GROUP = GroupId.ofName("weather");
    private static final RendezvousLimits LIMITS = RendezvousLimits.DEFAULTS;

    private final RendezvousContextFixture fixture = new RendezvousContextFixture(LIMITS);

    private static void grant(PendingQuery query) {
        assertThat(query.name()).isEqualTo(RendezvousContext.LEASE);
        query.respond(new LeaseResponse(LIMITS.lease().lease(), true, List.of()).write());
    }

    @Test
    void find_thatWaitsForTheGroup_goesToTheRendezvousOfThen() {
        PeerId first = fixture.addPeer(FIRST);
        LeaseClient leases = new LeaseClient(
                fixture.context,
                new RendezvousCandidates(
                        List.of(new Seed.AddressSeed(FIRST), new Seed.AddressSeed(SECOND)), fixture.scheduler.random()),
                PeerViewEntryFactory.of(fixture.context),
                rendezvous -> {});
        leases.start();
        grant(fixture.onlyQuery());
        ClientIndex index = new ClientIndex(fixture.context, leases);
        leases.join(GROUP);
        assertThat(fixture.onlyQuery().to()).isEqualTo(first); // which does not respond
        index.find(GROUP, DiscoveryQuery.any(), 0, 10, Duration.ofSeconds(30));
        assertThat(fixture.queries).isEmpty();

        fixture.peers.remove(FIRST);
        PeerId second = fixture.addPeer(SECOND);
        leases.onDisconnected(first);
        fixture.scheduler.advance(LIMITS.lease().minBackoff());
        grant(fixture.onlyQuery());
        PendingQuery find = fixture.onlyQuery();
        assertThat(find.name()).isEqualTo(RendezvousContext.FIND);
        assertThat(find.to()).isEqualTo(second);
    }
}
