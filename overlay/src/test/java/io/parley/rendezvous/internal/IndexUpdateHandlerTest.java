package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.resolver.internal.Query;
import io.parley.testkit.CapturedLog;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class IndexUpdateHandlerTest {

    private static final RendezvousLimits LIMITS = RendezvousLimits.DEFAULTS;

    private final RendezvousContextFixture fixture = new RendezvousContextFixture(LIMITS);
    private final RendezvousContext context = fixture.context;
    private final LeaseRegistry leases = fixture.newLeases();
    private final PeerView view = fixture.newView();
    private final AdvertisementIndex index = fixture.newIndex();

    @Test
    void publication_whileTheRendezvousCloses_isNoRefusal() {
        Publisher client = new Publisher(Identity.generate(), fixture.clock);
        leases.grant(client.id(), Set.of(Publisher.GROUP), Duration.ofMinutes(1));
        IndexUpdateHandler handler =
                new IndexUpdateHandler(context, leases, view, index, new Replicator(context, view, index));
        Message request =
                PublishResponse.request(List.of(client.signPipe("rain").toByteArray()));
        index.close();
        try (CapturedLog log = new CapturedLog()) {
            assertThatThrownBy(() ->
                            handler.onPublish(new Query(client.id(), RendezvousContext.PUBLISH, request, false, 0)))
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
            assertThat(log.lines("WARN")).isEmpty();
        }
        assertThat(fixture.metrics.get(Counter.ADVERTISEMENTS_REJECTED)).isZero();
    }

    @Test
    void ownAdvertisements_areAddedAlsoAfterOneThatIsRefused() {
        RendezvousContextFixture small = new RendezvousContextFixture(LIMITS.toBuilder()
                .index(LIMITS.index().toBuilder().maxAdvertisementsPerClient(1).build())
                .build());
        Publisher self = small.publisher;
        AdvertisementIndex own = small.newIndex();
        PeerView others = small.newView();
        IndexUpdateHandler handler =
                new IndexUpdateHandler(small.context, leases, others, own, new Replicator(small.context, others, own));
        assertThat(handler.publish(List.of(self.signPipe("rain")))).isCompleted();
        small.clock.advance(Duration.ofMillis(5));
        SignedAdvertisement withdrawal = self.sign(Publisher.pipe(Publisher.GROUP, "rain"), Duration.ofSeconds(1));
        assertThat(handler.publish(List.of(self.signPipe("snow"), withdrawal)))
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("quota");
        assertThat(own.find(Publisher.GROUP, DiscoveryQuery.any(), 0, 10).documents())
                .isEmpty();
        own.close();
    }
}
