package io.parley.rendezvous.internal;

import io.parley.endpoint.PeerConnectionListener;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.resolver.internal.Query;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Where clients ask a rendezvous for leases, and are told of others. Thread-safe. */
final class LeaseRequestHandler implements PeerConnectionListener {

    private final RendezvousContext overlay;
    private final LeaseRegistry leases;
    private final PeerView view;

    LeaseRequestHandler(RendezvousContext overlay, LeaseRegistry leases, PeerView view) {
        this.overlay = overlay;
        this.leases = leases;
        this.view = view;
    }

    CompletionStage<Optional<Message>> onQuery(Query query) {
        LeaseRequest request =
                LeaseRequest.read(query.body(), overlay.limits().lease().maxGroups());
        if (request.wanted().isZero()) {
            leases.end(query.from());
            return CompletableFuture.completedFuture(Optional.empty());
        }
        LeaseResponse reply = leases.grant(query.from(), request.groups(), request.wanted())
                .map(grant -> granted(grant, request.referrals()))
                .orElseGet(this::full);
        return CompletableFuture.completedFuture(Optional.of(reply.write()));
    }

    private LeaseResponse granted(LeaseRegistry.Grant grant, int referrals) {
        if (grant.fresh()) {
            overlay.metrics().increment(Counter.LEASES_GRANTED);
        }
        return new LeaseResponse(grant.duration(), grant.fresh(), referrals(referrals));
    }

    private LeaseResponse full() {
        overlay.metrics().increment(Counter.CLIENTS_REDIRECTED);
        return new LeaseResponse(Duration.ZERO, false, referrals(LeaseRequest.MAX_REFERRALS));
    }

    private List<byte[]> referrals(int count) {
        List<PeerViewEntry> others = new ArrayList<>(view.newest());
        Collections.shuffle(others, overlay.scheduler().random());
        return others.stream().limit(count).map(PeerViewEntry::document).toList();
    }

    /** Who is gone can't be told anything. A client that is back already, before this is heard, keeps its lease. */
    @Override
    public void onDisconnected(PeerId peer) {
        if (!overlay.endpoint().connectedPeers().contains(peer)) {
            leases.end(peer);
        }
    }
}
