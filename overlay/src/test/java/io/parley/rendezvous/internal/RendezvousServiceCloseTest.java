package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.discovery.internal.RemoteIndex;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.RendezvousStatus;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The close of a service whose release fails. */
class RendezvousServiceCloseTest {

    private static final class FailingService extends AbstractRendezvousService {

        private FailingService(RendezvousContext context) {
            super(context);
        }

        @Override
        CompletableFuture<Void> signOff() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        void release() {
            throw new InternalError("release (of the test)");
        }

        @Override
        GroupMessageRouter router() {
            throw new InternalError("router (of the test)");
        }

        @Override
        public boolean isRendezvous() {
            return true;
        }

        @Override
        public Set<PeerId> rendezvous() {
            return Set.of();
        }

        @Override
        public Set<PeerId> clients() {
            return Set.of();
        }

        @Override
        public RendezvousStatus status() {
            throw new UnsupportedOperationException("status");
        }

        @Override
        public CompletableFuture<Void> join(GroupId group) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void leave(GroupId group) {}

        @Override
        public RemoteIndex index() {
            throw new UnsupportedOperationException("index");
        }
    }

    @Test
    void close_isComplete_alsoIfTheReleaseFails() {
        RendezvousContextFixture fixture = new RendezvousContextFixture(RendezvousLimits.DEFAULTS);
        FailingService service = new FailingService(fixture.context);
        CompletableFuture<Void> closed = service.closeAsync();
        assertThat(fixture.resolverClosed).isTrue();
        assertThat(closed).isCompleted();
    }
}
