package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.resolver.internal.Query;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A rendezvous that serves only some clients, in manual time, without a network. */
class RendezvousAdmissionTest {

    private static final RendezvousLimits LIMITS = RendezvousLimits.DEFAULTS;
    private static final PeerId ALICE = Identity.generate().peerId();
    private static final PeerId MALLORY = Identity.generate().peerId();

    private final Set<PeerId> clients = new HashSet<>(Set.of(ALICE));
    private final RendezvousContextFixture fixture =
            new RendezvousContextFixture(LIMITS, new RendezvousAdmission(clients::contains, peer -> true));
    private final LeaseRegistry leases = new LeaseRegistry(LIMITS.lease(), fixture.scheduler, PeerId::text);
    private final LeaseRequestHandler handler = new LeaseRequestHandler(
            fixture.context,
            leases,
            new PeerView(fixture.publisher.id(), LIMITS.peerView(), fixture.scheduler, fixture.metrics));

    private void request(PeerId client) {
        LeaseRequest request = new LeaseRequest(Duration.ofMinutes(1), Set.of(), 0);
        assertThat(handler.onQuery(new Query(client, RendezvousContext.LEASE, request.write(), false, 0)))
                .isCompleted();
    }

    private void assertRefused(PeerId client) {
        assertThatThrownBy(() -> request(client))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SUCH_SERVICE))
                .hasMessageContaining("may not be a client");
        assertThat(leases.holds(client)).isFalse();
    }

    @Test
    void client_thatIsAdmitted_hasALease_untilItIsNoLonger() {
        assertRefused(MALLORY);
        request(ALICE);
        assertThat(leases.holds(ALICE)).isTrue();
        clients.clear();
        assertRefused(ALICE);
    }
}
