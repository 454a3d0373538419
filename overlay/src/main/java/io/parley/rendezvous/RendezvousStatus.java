package io.parley.rendezvous;

import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of the state of a {@link RendezvousService}: what a program shows its user if peers cannot be found.
 *
 * @param isRendezvous whether the peer acts as a rendezvous; if not, it is a client
 * @param rendezvous   the rendezvous that the client has a lease with; for a rendezvous, the others in its peer view
 * @param seeds        the configured addresses of rendezvous, as text. A client without a lease tries them, and the rendezvous
 *     that it was referred to, until one grants a lease
 * @param offlineSince the time at which the client lost its lease, or started; {@code null} while it has a lease and for a
 *     rendezvous
 * @param lastFailure  the reason why the last attempt to acquire or to keep a lease failed, also after a later attempt
 *     succeeded; for a rendezvous, why it could not reach a seed; {@code null} if nothing has failed
 */
public record RendezvousStatus(
        boolean isRendezvous,
        Set<PeerId> rendezvous,
        List<String> seeds,
        @Nullable Instant offlineSince,
        @Nullable ParleyException lastFailure) {

    /** Copies the collections. */
    public RendezvousStatus {
        rendezvous = Set.copyOf(rendezvous);
        seeds = List.copyOf(seeds);
    }

    /** Returns whether the peer can publish and search beyond the local network. */
    public boolean isOnline() {
        return offlineSince == null;
    }
}
