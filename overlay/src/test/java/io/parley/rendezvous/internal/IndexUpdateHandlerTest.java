package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
}
