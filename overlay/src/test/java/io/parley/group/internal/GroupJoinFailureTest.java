package io.parley.group.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.Scheduler;
import io.parley.discovery.DiscoveryLimits;
import io.parley.discovery.internal.DiscoveryMetrics;
import io.parley.endpoint.Endpoint;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.MemberViewLimits;
import io.parley.identity.Identity;
import io.parley.rendezvous.internal.RendezvousBuilder;
import io.parley.rendezvous.internal.RendezvousRole;
import io.parley.resolver.ResolverLimits;
import io.parley.resolver.internal.ResolverMetrics;
import io.parley.store.StoreLimits;
import io.parley.store.internal.AdvertisementStore;
import io.parley.testkit.Eventually;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A join whose last step, the publication of the group, fails. */
@Timeout(60)
class GroupJoinFailureTest {

    private final Identity identity = Identity.generate();
    private final Endpoint endpoint = Endpoint.builder()
            .transport(new InMemoryNetwork(2).transportProvider())
            .identity(identity)
            .start();

    /** The work of the peer, which waits until the test runs it. */
    private final Queue<Runnable> work = new ConcurrentLinkedQueue<>();

    private final AdvertisementStore store =
            AdvertisementStore.inMemory(StoreLimits.DEFAULTS, Scheduler.system(), Runnable::run);
    private final AdvertisementCodec codec = AdvertisementCodec.builtIn(AdvertisementLimits.DEFAULTS);
    private final AdvertisementSigner signer =
            new AdvertisementSigner(identity, codec, Scheduler.system().clock());
    private final AdvertisementVerifier verifier =
            new AdvertisementVerifier(codec, Scheduler.system().clock());
    private final RendezvousRole rendezvous =
            new RendezvousBuilder(endpoint, identity, signer, verifier, work::add).startClient();
    private final GroupRegistry groups = new GroupRegistry(new GroupContext(
            endpoint,
            identity,
            "alice",
            store,
            signer,
            verifier,
            rendezvous,
            CompletableFuture.completedFuture(Optional.empty()),
            work::add,
            work::add,
            Scheduler.system(),
            ResolverLimits.DEFAULTS,
            new ResolverMetrics(),
            DiscoveryLimits.DEFAULTS.toBuilder().maxPublications(1).build(), // that of the peer advertisement
            StoreLimits.DEFAULTS,
            MemberViewLimits.DEFAULTS,
            Duration.ofMinutes(2),
            new DiscoveryMetrics(),
            new ServiceCounters(List.of())));

    @AfterEach
    void close() {
        runUntil(groups.closeAsync(), "closing the groups");
        runUntil(rendezvous.closeAsync(), "closing the client");
        store.close();
        endpoint.close();
    }

    private void runUntil(CompletableFuture<?> done, String what) {
        Eventually.until(() -> what, () -> {
            for (Runnable task = work.poll(); task != null; task = work.poll()) {
                task.run();
            }
            return done.isDone();
        });
    }

    private void assertJoinFails(ErrorCode code) {
        assertThatThrownBy(() -> groups.join("weather"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(code));
        assertThat(groups.joined()).isEmpty();
    }

    @Test
    void groupIsBusy_untilItIsLeft_andTheOthersCloseAfterIt() {
        assertJoinFails(ErrorCode.LOCAL_LIMIT);
        assertJoinFails(ErrorCode.BUSY);
        CompletableFuture<Void> closed = groups.closeAsync();
        assertThat(groups.net().isClosing()).isFalse();
        runUntil(closed, "closing the groups");
    }
}
