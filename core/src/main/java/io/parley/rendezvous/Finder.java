package io.parley.rendezvous;

import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.rendezvous.RendezvousMetrics.Counter;
import io.parley.resolver.Query;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Searches the index: at this peer; where one value is looked for, at a rendezvous that has to have it; and elsewhere from
 * one to the next. Thread-safe.
 */
final class Finder {

    private static final int MANY = 10;

    /** Rendezvous of a walk that are asked at the same time. */
    private static final int WALK_STEP = 8;

    private final Overlay overlay;
    private final Leases leases;
    private final PeerView view;
    private final Index index;
    private final Lookups lookups;
    private final Rates walkRates;

    Finder(Overlay overlay, Leases leases, PeerView view, Index index) {
        this.overlay = overlay;
        this.leases = leases;
        this.view = view;
        this.index = index;
        this.lookups = new Lookups(overlay.alarms());
        long perSecond = overlay.limits().indexing().walksPerSecond();
        this.walkRates = new Rates(
                perSecond, MANY * perSecond, overlay.limits().leasing().maxClients() + 1, overlay.alarms());
    }

    CompletionStage<Optional<Message>> onQuery(Query query) {
        FindRequest request = FindRequest.read(query.body());
        CompletableFuture<FindReply> reply;
        if (leases.allows(query.from(), request.group()) && !request.here()) {
            reply = find(query.from(), request);
        } else if (view.contains(query.from())) {
            reply = CompletableFuture.completedFuture(new FindReply(own(request), 1));
        } else {
            throw overlay.stranger("peer " + query.from() + " has no lease here for group " + request.group());
        }
        overlay.metrics().increment(Counter.FINDS);
        return reply.thenApply(found -> Optional.of(found.write()));
    }

    private Found own(FindRequest request) {
        return index.find(request.group(), request.query(), request.offset(), request.limit());
    }

    /**
     * Looks everywhere.
     *
     * @param asker for whom
     */
    CompletableFuture<FindReply> find(PeerId asker, FindRequest request) {
        boolean exact =
                request.query().attribute() != null && request.query().value().isExact();
        if (view.size() == 0) {
            return CompletableFuture.completedFuture(new FindReply(own(request), 1));
        }
        if (exact) {
            List<PeerId> ranked = ranked(request);
            Found own = own(request);
            boolean isKeeper = ranked.remove(overlay.self());
            if (own.documents().size() >= request.limit() || own.more() || (isKeeper && isSome(own, request))) {
                return CompletableFuture.completedFuture(new FindReply(own, 1));
            }
            return page(request, ranked, 1, true);
        }
        if (!walkRates.tryTake(asker, 1)) {
            overlay.metrics().increment(Counter.FINDS_THROTTLED);
            throw ErrorCode.BUSY.exception("more searches for patterns than "
                    + overlay.limits().indexing().walksPerSecond() + " a second");
        }
        overlay.metrics().increment(Counter.WALKS);
        List<PeerId> others = new ArrayList<>(view.peers());
        Collections.shuffle(others, overlay.random());
        int most = Math.min(others.size(), overlay.limits().indexing().maxWalk());
        return page(request, others.subList(0, most), WALK_STEP, false);
    }

    /** Those that have to have what is looked for, best first. */
    private List<PeerId> ranked(FindRequest request) {
        String attribute = String.valueOf(request.query().attribute());
        long item =
                Ranking.item(request.group(), attribute, request.query().value().text());
        return new ArrayList<>(view.ranking().first(overlay.limits().indexing().replicas(), item));
    }

    private boolean isSome(Found own, FindRequest request) {
        return !own.documents().isEmpty()
                || (request.offset() > 0 && !own(request.at(0, 1)).documents().isEmpty());
    }

    private CompletableFuture<FindReply> page(
            FindRequest request, List<PeerId> members, int atATime, boolean untilFound) {
        Lookup begun = request.offset() == 0 ? null : lookups.find(request);
        Lookup lookup =
                begun != null ? begun : new Lookup(overlay, request, allOwn(request), members, atATime, untilFound);
        return lookup.page(request.offset(), request.limit(), patience(request)).thenApply(found -> {
            if (found.more() && begun == null) {
                lookups.keep(request, lookup);
            }
            return new FindReply(found, lookup.hasAsked() ? 2 : 1);
        });
    }

    private List<Found> allOwn(FindRequest request) {
        List<Found> pages = new ArrayList<>();
        int offset = 0;
        Found page;
        do {
            page = index.find(request.group(), request.query(), offset, Found.MAX_DOCUMENTS);
            pages.add(page);
            offset += page.documents().size();
        } while (page.more() && offset <= request.offset() + request.limit());
        return pages;
    }

    /** The asker shall have the answer before it stops waiting. */
    private static Duration patience(FindRequest request) {
        return request.patience().multipliedBy(4).dividedBy(5);
    }
}
