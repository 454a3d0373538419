package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.ModuleSpecAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.discovery.Discovery;
import io.parley.discovery.DiscoveryLimits;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.discovery.internal.DiscoveryMetrics;
import io.parley.group.MemberViewLimits;
import io.parley.group.internal.GroupContext;
import io.parley.group.internal.GroupRegistry;
import io.parley.group.internal.ServiceCounters;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousFixture.Node;
import io.parley.resolver.ResolverLimits;
import io.parley.resolver.internal.ResolverMetrics;
import io.parley.store.StoreLimits;
import io.parley.store.internal.AdvertisementStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests searches for a peer that is gone without a goodbye, and for one that lives, with two rendezvous in manual time. */
@Timeout(120)
class DeadPublisherTest {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final RendezvousLimits LIMITS = RendezvousLimits.DEFAULTS.toBuilder()
            .lease(RendezvousLimits.LeaseLimits.DEFAULTS.toBuilder()
                    .lease(LEASE)
                    .build())
            .build();

    private final RendezvousFixture fixture = new RendezvousFixture();
    private final List<GroupRegistry> opened = new ArrayList<>();
    private final List<AdvertisementStore> stores = new ArrayList<>();
    private Node aliceNode;
    private Discovery alice;
    private Discovery bob;
    private Discovery carol;

    @BeforeEach
    void start() {
        fixture.endpointLimits = fixture.endpointLimits.toBuilder()
                .closeTimeout(Duration.ofSeconds(1)) // which passes for the peer that is cut off
                .build();
        List<Node> rendezvous = fixture.overlay(LIMITS, 2);
        aliceNode = fixture.member(LIMITS, rendezvous.get(0));
        alice = netGroup(aliceNode, "alice");
        bob = netGroup(fixture.member(LIMITS, rendezvous.get(1)), "bob");
        carol = netGroup(fixture.member(LIMITS, rendezvous.get(0)), "carol");
        fixture.timePasses = true;
        PipeAdvertisement pipe = PipeAdvertisement.of(PipeId.ofName(GroupId.NET, "rain"), PipeType.UNICAST, "rain");
        publish(pipe);
        publish(ModuleSpecAdvertisement.of(
                new AdvertisementId("urn:jxta:uuid-" + "AB".repeat(32) + "06"), "rain", pipe));
    }

    @AfterEach
    void close() {
        opened.forEach(groups -> fixture.get(groups.closeAsync(), "leaving the groups"));
        stores.forEach(AdvertisementStore::close);
        fixture.close();
    }

    /** Joins the net group as a peer does, which publishes the peer advertisement. */
    private Discovery netGroup(Node node, String name) {
        AdvertisementStore store =
                AdvertisementStore.inMemory(StoreLimits.DEFAULTS, fixture.scheduler, fixture.executor);
        stores.add(store);
        GroupRegistry groups = new GroupRegistry(new GroupContext(
                node.endpoint(),
                node.publisher().identity,
                name,
                store,
                node.publisher().signer,
                node.publisher().verifier(),
                node.service(),
                CompletableFuture.completedFuture(Optional.empty()),
                fixture.executor,
                fixture.executor,
                fixture.scheduler,
                ResolverLimits.DEFAULTS,
                new ResolverMetrics(),
                DiscoveryLimits.DEFAULTS,
                StoreLimits.DEFAULTS,
                MemberViewLimits.DEFAULTS,
                LEASE,
                new DiscoveryMetrics(),
                new ServiceCounters(List.of())));
        opened.add(groups);
        return groups.net().discovery();
    }

    private void publish(Advertisement advertisement) {
        fixture.get(alice.publish(advertisement).whenIndexed(), "publishing " + advertisement);
    }

    /** Returns the types of the advertisements of alice that a peer finds, in its store and in the index. */
    private List<String> findAlice(Discovery searching) {
        SearchOptions options = new SearchOptions(Duration.ofSeconds(5), 100, SearchOptions.Scope.LOCAL_AND_REMOTE);
        List<String> types = new ArrayList<>();
        for (DiscoveryQuery query : List.of(
                DiscoveryQuery.of("jxta:PA").with("Name", "alice"),
                DiscoveryQuery.of("jxta:PipeAdvertisement").with("Name", "rain"),
                DiscoveryQuery.of("jxta:MSA").with("Name", "rain"))) {
            fixture.get(searching.find(query, options), "search for " + query).stream()
                    .filter(found -> found.publisher().equals(aliceNode.id()))
                    .forEach(found -> types.add(found.advertisement().type()));
        }
        return types;
    }

    private void advance(Duration time) {
        Instant end = fixture.clock.instant().plus(time);
        fixture.advanceUntil("the time to pass", () -> !fixture.clock.instant().isBefore(end));
    }

    @Test
    void deadPeer_isNotFound_oneLeasePeriodLater() {
        assertThat(findAlice(bob)).containsExactly("jxta:PA", "jxta:PipeAdvertisement", "jxta:MSA");
        Instant death = fixture.clock.instant();
        aliceNode.isolate();
        assertThat(findAlice(carol)).as("at first").contains("jxta:PipeAdvertisement");
        // Times of issue increase by a millisecond each, so the last ones may be a little after the death.
        advance(LEASE.plusMillis(10).minus(Duration.between(death, fixture.clock.instant())));
        assertThat(findAlice(bob)).as("from the store and the other rendezvous").isEmpty();
        assertThat(findAlice(carol)).as("from the store and its rendezvous").isEmpty();
    }

    @Test
    void livingPeer_isFound_afterSeveralPeriods() {
        for (int period = 0; period < 3; period++) {
            advance(LEASE);
            assertThat(findAlice(bob)).containsExactly("jxta:PA", "jxta:PipeAdvertisement", "jxta:MSA");
        }
    }
}
