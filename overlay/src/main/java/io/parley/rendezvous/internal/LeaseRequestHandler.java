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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Grants leases to clients, and refers them to other rendezvous. Thread-safe. */
final class LeaseRequestHandler implements PeerConnectionListener {

    private static final Logger log = LoggerFactory.getLogger(LeaseRequestHandler.class);

    private final RendezvousContext context;
    private final LeaseRegistry leases;
    private final PeerView view;

    LeaseRequestHandler(RendezvousContext context, LeaseRegistry leases, PeerView view) {
        this.context = context;
        this.leases = leases;
        this.view = view;
    }

    CompletionStage<Optional<Message>> onQuery(Query query) {
        LeaseRequest request =
                LeaseRequest.read(query.body(), context.limits().lease().maxGroups());
        if (request.requested().isZero()) {
            leases.end(query.from());
            return CompletableFuture.completedFuture(Optional.empty());
        }
        if (!context.admission().clients().test(query.from())) {
            leases.end(query.from());
            throw context.unauthorized("peer " + query.from() + " may not be a client of this rendezvous");
        }
        LeaseResponse response = leases.grant(query.from(), request.groups(), request.requested())
                .map(grant -> granted(grant, request.referrals()))
                .orElseGet(this::full);
        return CompletableFuture.completedFuture(Optional.of(response.write()));
    }

    private LeaseResponse granted(LeaseRegistry.Grant grant, int referrals) {
        if (grant.fresh()) {
            context.metrics().increment(Counter.LEASES_GRANTED);
        }
        grant.evicted().ifPresent(evicted -> {
            context.metrics().increment(Counter.LEASES_EVICTED);
            log.debug(
                    "Ended the lease of client {}: its host has the most of them, and another host needs one", evicted);
        });
        return new LeaseResponse(grant.duration(), grant.fresh(), referrals(referrals));
    }

    private LeaseResponse full() {
        context.metrics().increment(Counter.CLIENTS_REDIRECTED);
        return new LeaseResponse(Duration.ZERO, false, referrals(LeaseRequest.MAX_REFERRALS));
    }

    private List<byte[]> referrals(int count) {
        List<PeerViewEntry> others = new ArrayList<>(view.newest());
        Collections.shuffle(others, context.scheduler().random());
        return others.stream().limit(count).map(PeerViewEntry::document).toList();
    }

    /** Ends the lease of a client that is gone. A client that has reconnected before this call keeps its lease. */
    @Override
    public void onDisconnected(PeerId peer) {
        if (!context.endpoint().isConnected(peer)) {
            leases.end(peer);
        }
    }
}
