package io.parley.rendezvous.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.HostPrefix;
import io.parley.common.internal.HostShares;
import io.parley.common.internal.KeyedRateLimiter;
import io.parley.common.internal.TokenBucket;
import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rendezvous that others have named and that have not yet responded to this peer. Each member of the peer view that names
 * others, the bringer of these candidates, has a bounded number of places, and the hosts of the bringers share all of them.
 * Candidates are contacted at a bounded rate, those of all bringers by turns, and each claimed host at a lower rate.
 * Thread-safe.
 */
final class PeerViewCandidates {

    /** The rate at which candidates are contacted. */
    static final int CONTACTS_PER_SECOND = 16;

    /** The rate at which a host that candidates claim as theirs is dialed. */
    static final int DIALS_PER_SECOND = 2;

    private static final int TOTAL_DIALS_PER_SECOND = PeerAddress.MAX_ADDRESSES * CONTACTS_PER_SECOND;
    private static final int MAX_HOSTS = 1024;

    /** The part of all places that one bringer may use. */
    private static final int BRINGER_FRACTION = 8;

    private record Candidate(PeerAddress address, long issuedMillis) {}

    /** @param host the host of the bringer when it named the first of its candidates */
    private record Bringer(String host, Map<PeerId, Candidate> candidates) {}

    private final Scheduler scheduler;
    private final int maxPerBringer;
    private final HostShares places;
    private final TokenBucket contacts;
    private final KeyedRateLimiter<String> dials;

    /** The bringers with candidates, the one whose turn is next first. */
    private final Map<PeerId, Bringer> bringers = new LinkedHashMap<>();

    /** The times of issue of the entries of the last candidates that were contacted, in milliseconds since the epoch. */
    private final Map<PeerId, Long> contacted;

    /** @param maxCandidates the maximum number of candidates */
    PeerViewCandidates(int maxCandidates, Scheduler scheduler) {
        this.scheduler = scheduler;
        this.maxPerBringer = Math.max(1, maxCandidates / BRINGER_FRACTION);
        this.places = new HostShares(maxCandidates);
        this.contacts = new TokenBucket(CONTACTS_PER_SECOND, scheduler.nanoTime());
        this.dials = new KeyedRateLimiter<>(DIALS_PER_SECOND, TOTAL_DIALS_PER_SECOND, MAX_HOSTS, scheduler);
        this.contacted = new LinkedHashMap<>() {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<PeerId, Long> eldest) {
                return size() > 2 * maxCandidates;
            }
        };
    }

    /**
     * Adds a candidate. An entry that is not newer than the one by which the same rendezvous was contacted last is ignored:
     * it is no sign that the rendezvous is alive now.
     *
     * @param host the host of the bringer
     * @return false if the bringer, or its host, has no place left
     */
    synchronized boolean add(PeerId bringer, String host, PeerViewEntry entry) {
        if (isOutdated(entry.peer(), entry.issuedMillis())) {
            return true;
        }
        Bringer named = bringers.get(bringer);
        Candidate known = named == null ? null : named.candidates().get(entry.peer());
        if (known == null) {
            int count = named == null ? 0 : named.candidates().size();
            String charged = named == null ? host : named.host();
            if (count >= maxPerBringer || !acquirePlace(charged)) {
                return false;
            }
            named = bringers.computeIfAbsent(bringer, first -> new Bringer(charged, new LinkedHashMap<>()));
        }
        if (known == null || known.issuedMillis() < entry.issuedMillis()) {
            Objects.requireNonNull(named)
                    .candidates()
                    .put(entry.peer(), new Candidate(entry.address(), entry.issuedMillis()));
        }
        return true;
    }

    /** Acquires a place, if necessary that of the oldest candidate of the host with most. */
    private boolean acquirePlace(String host) {
        if (places.tryAcquire(host, 1)) {
            return true;
        }
        String largest = places.largestHost().orElse(host);
        if (largest.equals(host) || !places.isBelowShare(host, 1)) {
            return false;
        }
        bringers.entrySet().stream()
                .filter(bringer -> bringer.getValue().host().equals(largest))
                .findFirst()
                .map(Map.Entry::getKey)
                .ifPresent(this::dropOldest);
        return places.tryAcquire(host, 1);
    }

    private void dropOldest(PeerId bringer) {
        Bringer named = bringers.get(bringer);
        if (named != null) {
            Iterator<PeerId> candidates = named.candidates().keySet().iterator();
            candidates.next();
            candidates.remove();
            places.release(named.host(), 1);
            if (named.candidates().isEmpty()) {
                bringers.remove(bringer);
            }
        }
    }

    private boolean isOutdated(PeerId peer, long issuedMillis) {
        Long last = contacted.get(peer);
        return last != null && issuedMillis <= last;
    }

    /**
     * Removes the candidate that is to be contacted now.
     *
     * @return the candidate with the addresses that may be dialed now; empty if there is none, or the rate is reached
     */
    synchronized Optional<PeerAddress> next() {
        long now = scheduler.nanoTime();
        if (!contacts.has(1, now)) {
            return Optional.empty();
        }
        for (PeerId bringer : List.copyOf(bringers.keySet())) {
            Optional<PeerAddress> next = next(bringer);
            if (next.isPresent()) {
                contacts.tryAcquire(1, now);
                return next;
            }
        }
        return Optional.empty();
    }

    /**
     * Removes the next candidate of a bringer, unless the rates of all its hosts are reached. Then it is the last one the
     * next time.
     */
    private Optional<PeerAddress> next(PeerId bringer) {
        Bringer named = bringers.remove(bringer);
        if (named == null) {
            return Optional.empty();
        }
        Optional<PeerAddress> next = Optional.empty();
        Candidate candidate = pollUpToDate(named);
        if (candidate != null) {
            PeerId peer = candidate.address().peer();
            next = dialable(candidate.address());
            if (next.isPresent()) {
                places.release(named.host(), 1);
                contacted.remove(peer);
                contacted.put(peer, candidate.issuedMillis());
            } else {
                named.candidates().put(peer, candidate);
            }
        }
        if (!named.candidates().isEmpty()) {
            bringers.put(bringer, named);
        }
        return next;
    }

    /** Removes candidates until one is found that was not contacted because another bringer has named it too. */
    private @Nullable Candidate pollUpToDate(Bringer named) {
        Iterator<Candidate> candidates = named.candidates().values().iterator();
        while (candidates.hasNext()) {
            Candidate candidate = candidates.next();
            candidates.remove();
            if (!isOutdated(candidate.address().peer(), candidate.issuedMillis())) {
                return candidate;
            }
            places.release(named.host(), 1);
        }
        return null;
    }

    /** Returns the address with the hosts whose rate is not reached; empty if there is none of those that it names. */
    private Optional<PeerAddress> dialable(PeerAddress address) {
        if (address.addresses().isEmpty()) {
            return Optional.of(address);
        }
        Map<String, Boolean> permitted = new LinkedHashMap<>();
        List<EndpointAddress> dialable = new ArrayList<>();
        for (EndpointAddress each : address.addresses()) {
            if (permitted.computeIfAbsent(HostPrefix.of(each.host()), dials::tryAcquire)) {
                dialable.add(each);
            }
        }
        return dialable.isEmpty() ? Optional.empty() : Optional.of(new PeerAddress(address.peer(), dialable));
    }

    synchronized int size() {
        return bringers.values().stream()
                .mapToInt(bringer -> bringer.candidates().size())
                .sum();
    }
}
