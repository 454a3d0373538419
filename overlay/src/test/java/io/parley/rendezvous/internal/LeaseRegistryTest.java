package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.internal.HostPrefix;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.testkit.ManualScheduler;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LeaseRegistryTest {

    private static final GroupId GROUP = GroupId.ofName("weather");
    private static final GroupId OTHER = GroupId.ofName("traffic");
    private static final PeerId ALICE = Identity.generate().peerId();
    private static final PeerId BOB = Identity.generate().peerId();
    private static final PeerId CAROL = Identity.generate().peerId();

    private final ManualScheduler scheduler = new ManualScheduler();
    private final LeaseRegistry leases = new LeaseRegistry(
            RendezvousLimits.LeaseLimits.DEFAULTS.toBuilder().maxClients(2).build(), scheduler, PeerId::text);

    private boolean grant(PeerId client, Duration requested, GroupId... groups) {
        return leases.grant(client, Set.of(groups), requested).isPresent();
    }

    @Test
    void grant_allowsItsGroups_andNoOthers() {
        assertThat(grant(ALICE, Duration.ofMinutes(1), GROUP)).isTrue();
        assertThat(leases.allows(ALICE, GROUP)).isTrue();
        assertThat(leases.allows(ALICE, OTHER)).isFalse();
        assertThat(leases.allows(BOB, GROUP)).isFalse();
        assertThat(leases.clientsIn(GROUP)).containsExactly(ALICE);
        assertThat(leases.clientsIn(OTHER)).isEmpty();
    }

    @Test
    void grant_again_replacesTheGroups() {
        grant(ALICE, Duration.ofMinutes(1), GROUP);
        assertThat(leases.grant(ALICE, Set.of(OTHER), Duration.ofMinutes(1))
                        .orElseThrow()
                        .fresh())
                .isFalse();
        assertThat(leases.clientsIn(GROUP)).isEmpty();
        assertThat(leases.clientsIn(OTHER)).containsExactly(ALICE);
    }

    @Test
    void grant_ofATooLongOrTooShortLease_isAdjusted() {
        assertThat(leases.grant(ALICE, Set.of(), Duration.ofDays(1))
                        .orElseThrow()
                        .duration())
                .isEqualTo(RendezvousLimits.LeaseLimits.DEFAULTS.lease());
        assertThat(leases.grant(ALICE, Set.of(), Duration.ofMillis(1))
                        .orElseThrow()
                        .duration())
                .isEqualTo(RendezvousLimits.LeaseLimits.MIN_LEASE);
    }

    @Test
    void lease_thatExpires_makesRoomForAnotherClient() {
        grant(ALICE, Duration.ofSeconds(10), GROUP);
        grant(BOB, Duration.ofSeconds(20), GROUP);
        assertThat(grant(CAROL, Duration.ofSeconds(10), GROUP)).isFalse();
        scheduler.advance(Duration.ofSeconds(10));
        assertThat(leases.holds(ALICE)).isFalse();
        assertThat(leases.clientsIn(GROUP)).containsExactly(BOB);
        assertThat(grant(CAROL, Duration.ofSeconds(10), GROUP)).isTrue();
        assertThat(leases.clients()).containsExactlyInAnyOrder(BOB, CAROL);
    }

    @Test
    void grant_ifFull_stillRenews() {
        grant(ALICE, Duration.ofSeconds(10));
        grant(BOB, Duration.ofSeconds(10));
        assertThat(grant(BOB, Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void end_makesRoomForAnotherClient() {
        grant(ALICE, Duration.ofSeconds(10), GROUP);
        grant(BOB, Duration.ofSeconds(10));
        leases.end(ALICE);
        assertThat(leases.clientsIn(GROUP)).isEmpty();
        assertThat(grant(CAROL, Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void grant_ifFullOfOneHost_takesThePlaceThatWasRenewedTheLongestTimeAgo() {
        Map<PeerId, String> hosts = new HashMap<>();
        LeaseRegistry shared = new LeaseRegistry(
                RendezvousLimits.LeaseLimits.DEFAULTS.toBuilder().maxClients(10).build(),
                scheduler,
                peer -> hosts.getOrDefault(peer, HostPrefix.of("192.0.2.1")));
        List<PeerId> crowd =
                Stream.generate(() -> Identity.generate().peerId()).limit(11).toList();
        for (PeerId client : crowd.subList(0, 10)) {
            assertThat(shared.grant(client, Set.of(GROUP), Duration.ofMinutes(1)))
                    .isPresent();
            scheduler.advance(Duration.ofSeconds(1));
        }
        assertThat(shared.grant(crowd.get(0), Set.of(GROUP), Duration.ofMinutes(1)))
                .isPresent();
        assertThat(shared.grant(crowd.get(10), Set.of(GROUP), Duration.ofMinutes(1)))
                .isEmpty();

        hosts.put(ALICE, HostPrefix.of("198.51.100.1"));
        assertThat(shared.grant(ALICE, Set.of(GROUP), Duration.ofMinutes(1)))
                .hasValueSatisfying(grant -> assertThat(grant.evicted()).contains(crowd.get(1)));
        assertThat(shared.holds(crowd.get(1))).isFalse();
        assertThat(shared.clientsIn(GROUP)).hasSize(10).contains(ALICE, crowd.get(0));
        assertThat(shared.grant(crowd.get(1), Set.of(GROUP), Duration.ofMinutes(1)))
                .isEmpty();
    }

    @Test
    void grant_beyondFourFifths_isForHostsBelowTheirShare() {
        Map<PeerId, String> hosts = new HashMap<>();
        LeaseRegistry shared = new LeaseRegistry(
                RendezvousLimits.LeaseLimits.DEFAULTS.toBuilder().maxClients(10).build(),
                scheduler,
                peer -> hosts.getOrDefault(peer, HostPrefix.of("192.0.2.1")));
        hosts.put(ALICE, HostPrefix.of("198.51.100.1"));
        hosts.put(BOB, HostPrefix.of("203.0.113.1"));
        assertThat(shared.grant(ALICE, Set.of(), Duration.ofMinutes(1))).isPresent();
        for (int i = 0; i < 20; i++) {
            boolean granted = shared.grant(Identity.generate().peerId(), Set.of(), Duration.ofMinutes(1))
                    .isPresent();
            assertThat(granted).as("%s", i).isEqualTo(i < 7);
        }
        assertThat(shared.grant(BOB, Set.of(), Duration.ofMinutes(1)))
                .hasValueSatisfying(grant -> assertThat(grant.evicted()).isEmpty());
        shared.end(ALICE);
        shared.end(BOB);
        assertThat(shared.clients()).hasSize(7);
    }
}
