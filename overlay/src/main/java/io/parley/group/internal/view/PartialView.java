package io.parley.group.internal.view;

import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.group.MemberViewLimits;
import io.parley.group.internal.view.ViewMessage.Kind;
import io.parley.id.PeerId;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The members that a member knows: a few neighbors, with which it exchanges messages, and some more that may become neighbors. Two
 * neighbors have each other, and together the neighbors of all members connect the group. The protocol is HyParView (Leitão, Pereira,
 * Rodrigues: "HyParView: a membership protocol for reliable gossip-based broadcast", DSN 2007), with two differences: members exchange
 * samples with a neighbor instead of a random walk, so that a shuffle sends no message to members that only another one has named;
 * and hosts share the places of the view.
 *
 * <p>Not thread-safe: all calls are made on the executor of the view.
 */
final class PartialView {

    /** The number of members that pass on a new one, at most. The paper's active random walk length. */
    static final int JOIN_HOPS = 6;

    /** The remaining hops at which a new member is noted as known. The paper's passive random walk length is the rest. */
    static final int KNOWN_HOPS = 3;

    /** The number of neighbors below which a member asks for more in any case. */
    static final int MIN_NEIGHBORS = 2;

    /** The time in which a member must respond to a request. */
    static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(15);

    /** The number of members that are asked per round by one that has enough neighbors, but room for more. */
    private static final int REQUESTS_PER_ROUND = 2;

    /** The number of members that are asked to join in one search for members. */
    private static final int MAX_JOINS = 3;

    private static final int SHUFFLED_NEIGHBORS = 3;

    /** The neighbors of other hosts that one host may displace per round. */
    static final int MAX_DISPLACED_PER_ROUND = 2;

    /** The joins per round that a member passes on. Each one costs the group about 30 messages. */
    static final int FORWARDED_JOINS_PER_ROUND = 30;

    /** The time for which an entry must still be valid to be sent: one that has expired on arrival makes its message invalid. */
    static final Duration MIN_VALIDITY = Duration.ofMinutes(1);

    private record Neighbor(MemberEntry entry, String host) {

        PeerId peer() {
            return entry.peer();
        }
    }

    private final PeerId self;
    private final Supplier<MemberEntry> ownEntry;
    private final MemberViewLimits limits;
    private final Scheduler scheduler;
    private final Random random;
    private final ViewLinks links;
    private final Map<PeerId, Neighbor> neighbors = new LinkedHashMap<>();
    private final KnownMembers known;

    /** The members that were asked to become neighbors, with the time of the request. */
    private final Map<PeerId, Long> pending = new HashMap<>();

    /** The members that were asked in this round, and have no room. */
    private final Set<PeerId> refused = new HashSet<>();

    /** The number of neighbors of other hosts that each host has displaced in this round. */
    private final Map<String, Integer> displaced = new HashMap<>();

    private int requests;
    private int forwardedJoins;

    /** @param ownEntry returns a recent entry of this peer */
    PartialView(
            PeerId self,
            Supplier<MemberEntry> ownEntry,
            MemberViewLimits limits,
            Scheduler scheduler,
            ViewLinks links) {
        this.self = self;
        this.ownEntry = ownEntry;
        this.limits = limits;
        this.scheduler = scheduler;
        this.random = scheduler.random();
        this.links = links;
        this.known = new KnownMembers(limits.maxKnownMembers(), random);
    }

    Set<PeerId> neighbors() {
        return Set.copyOf(neighbors.keySet());
    }

    boolean isNeighbor(PeerId peer) {
        return neighbors.containsKey(peer);
    }

    /** Returns whether a peer is a neighbor, or was asked to become one. */
    boolean isLinked(PeerId peer) {
        return neighbors.containsKey(peer) || pending.containsKey(peer);
    }

    /** Returns the neighbors and the other members that this one knows. */
    Set<PeerId> members() {
        Set<PeerId> members = new HashSet<>(known.ids());
        members.addAll(neighbors.keySet());
        return Set.copyOf(members);
    }

    /**
     * Contacts members that discovery has found. Without neighbors this peer joins at some of them. Otherwise one that it does not know
     * becomes a neighbor, so that parts of a group which were separated become one.
     */
    void onFound(Collection<PeerId> found) {
        List<PeerId> unknown = new ArrayList<>(found);
        unknown.removeIf(peer -> peer.equals(self) || isLinked(peer) || known.contains(peer));
        Collections.shuffle(unknown, random);
        boolean isAlone = neighbors.isEmpty();
        int count = Math.min(isAlone ? MAX_JOINS : 1, unknown.size());
        for (PeerId peer : unknown.subList(0, count)) {
            request(new PeerAddress(peer, List.of()), isAlone ? Kind.JOIN : Kind.URGENT_NEIGHBOR);
        }
        if (isAlone && unknown.isEmpty()) {
            fill();
        }
    }

    private void request(PeerAddress member, Kind kind) {
        pending.put(member.peer(), scheduler.nanoTime());
        links.send(member, ViewMessage.of(kind, ownEntry.get()));
    }

    /**
     * Handles a message.
     *
     * @param host the host of the sender
     * @throws io.parley.error.ParleyException {@link ErrorCode#MALFORMED_MESSAGE} if the first entry must be that of the sender, and is not
     */
    void onMessage(PeerId from, String host, ViewMessage message) {
        switch (message.kind()) {
            case JOIN -> onJoin(entryOf(from, message), host);
            case NEIGHBOR, URGENT_NEIGHBOR ->
                onRequest(entryOf(from, message), host, message.kind() == Kind.URGENT_NEIGHBOR);
            case ACCEPT -> onAccept(entryOf(from, message), host);
            case REFUSE -> onRefuse(from);
            case DISCONNECT -> onDisconnect(from);
            default -> {
                Neighbor neighbor = neighbors.get(from);
                if (neighbor == null) {
                    rejectLink(from);
                } else {
                    onNeighborMessage(neighbor, message);
                }
            }
        }
    }

    private static MemberEntry entryOf(PeerId from, ViewMessage message) {
        MemberEntry entry = message.entries().get(0);
        if (!entry.peer().equals(from)) {
            throw ErrorCode.MALFORMED_MESSAGE.exception(
                    "view message: entry of peer " + entry.peer() + " (expected: of the sender)");
        }
        return entry;
    }

    /** Responds to a message of a peer that takes this one for a neighbor and is none. */
    void rejectLink(PeerId peer) {
        links.send(new PeerAddress(peer, List.of()), ViewMessage.of(Kind.DISCONNECT));
    }

    private void onJoin(MemberEntry entry, String host) {
        boolean isNew = !isNeighbor(entry.peer());
        if (respond(entry, host) && isNew && forwardedJoins < FORWARDED_JOINS_PER_ROUND) {
            forwardedJoins++;
            neighbors.values().stream()
                    .filter(neighbor -> !neighbor.peer().equals(entry.peer()))
                    .forEach(neighbor -> forwardJoin(neighbor, entry, JOIN_HOPS));
        }
    }

    private void forwardJoin(Neighbor neighbor, MemberEntry entry, int hops) {
        links.send(neighbor.entry().address(), new ViewMessage(Kind.FORWARD_JOIN, hops, List.of(entry)));
    }

    private void onRequest(MemberEntry entry, String host, boolean urgent) {
        if (urgent || isNeighbor(entry.peer()) || neighbors.size() < limits.maxNeighbors()) {
            respond(entry, host);
        } else {
            links.send(entry.address(), ViewMessage.of(Kind.REFUSE));
        }
    }

    private boolean respond(MemberEntry entry, String host) {
        boolean accepted = tryAddNeighbor(entry, host);
        links.send(
                entry.address(), accepted ? ViewMessage.of(Kind.ACCEPT, ownEntry.get()) : ViewMessage.of(Kind.REFUSE));
        return accepted;
    }

    private void onAccept(MemberEntry entry, String host) {
        // It may be late, and this peer has asked another one.
        if (!isLinked(entry.peer()) || !tryAddNeighbor(entry, host)) {
            rejectLink(entry.peer());
        }
    }

    private void onRefuse(PeerId from) {
        if (pending.remove(from) != null) {
            refused.add(from);
            fill();
        }
    }

    private void onDisconnect(PeerId from) {
        pending.remove(from);
        Neighbor neighbor = removeNeighbor(from);
        if (neighbor != null) {
            known.add(neighbor.entry(), neighbor.host());
            refused.add(from); // not at once again
            fill();
        }
    }

    private void onNeighborMessage(Neighbor from, ViewMessage message) {
        switch (message.kind()) {
            case FORWARD_JOIN -> onForwardJoin(from, message.entries().get(0), Math.min(message.hops(), JOIN_HOPS));
            case SHUFFLE -> {
                links.send(from.entry().address(), new ViewMessage(Kind.SHUFFLE_RESPONSE, 0, sample()));
                note(message.entries(), from.host());
            }
            case SHUFFLE_RESPONSE -> note(message.entries(), from.host());
            default -> {} // it is alive
        }
    }

    private void onForwardJoin(Neighbor from, MemberEntry entry, int hops) {
        if (entry.peer().equals(self) || isLinked(entry.peer()) || hasExpired(entry)) {
            return;
        }
        List<Neighbor> next = neighbors.values().stream()
                .filter(neighbor -> !neighbor.peer().equals(from.peer()))
                .toList();
        if (hops <= 1 || next.isEmpty()) {
            if (pending.size() < limits.maxNeighbors()) {
                request(entry.address(), Kind.NEIGHBOR);
            } else { // neighbors may name any number of members
                known.add(entry, from.host());
            }
            return;
        }
        if (hops == KNOWN_HOPS) {
            known.add(entry, from.host());
        }
        forwardJoin(next.get(random.nextInt(next.size())), entry, hops - 1);
    }

    /** Notes members that a neighbor knows. */
    private void note(List<MemberEntry> entries, String host) {
        for (MemberEntry entry : entries) {
            Neighbor neighbor = neighbors.get(entry.peer());
            if (neighbor != null) {
                refresh(neighbor, entry);
            } else if (!entry.peer().equals(self) && !hasExpired(entry)) {
                known.add(entry, host);
            }
        }
        fill();
    }

    private boolean hasExpired(MemberEntry entry) {
        return entry.expiresMillis() <= scheduler.clock().millis();
    }

    private void refresh(Neighbor neighbor, MemberEntry entry) {
        if (entry.isNewerThan(neighbor.entry())) {
            neighbors.put(entry.peer(), new Neighbor(entry, neighbor.host()));
        }
    }

    /** Adds a neighbor, if necessary in the place of another one. Returns whether its host may still take that place. */
    private boolean tryAddNeighbor(MemberEntry entry, String host) {
        pending.remove(entry.peer());
        Neighbor present = neighbors.get(entry.peer());
        if (present != null) {
            refresh(present, entry);
            return true;
        }
        Neighbor displacedNeighbor = null;
        if (neighbors.size() >= limits.maxNeighbors()) {
            displacedNeighbor = tryDisplace(host);
            if (displacedNeighbor == null) {
                return false;
            }
        }
        known.remove(entry.peer());
        neighbors.put(entry.peer(), new Neighbor(entry, host));
        if (displacedNeighbor != null) {
            rejectLink(displacedNeighbor.peer());
            removeNeighbor(displacedNeighbor.peer());
            known.add(displacedNeighbor.entry(), displacedNeighbor.host());
        }
        links.onNeighborUp(entry.peer());
        return true;
    }

    /**
     * Selects a random neighbor of the host that has most of them, so that one host cannot have all places. A host that comes and goes
     * displaces few neighbors of others in each round.
     *
     * @param host the host of the new neighbor
     * @return {@code null} if the host has displaced too many
     */
    private @Nullable Neighbor tryDisplace(String host) {
        Map<String, Long> counts =
                neighbors.values().stream().collect(Collectors.groupingBy(Neighbor::host, Collectors.counting()));
        long own = counts.merge(host, 1L, Long::sum);
        long most = Collections.max(counts.values());
        boolean isLargest = own == most && own > 1;
        if (!isLargest && displaced.merge(host, 1, Integer::sum) > MAX_DISPLACED_PER_ROUND) {
            return null;
        }
        List<Neighbor> candidates = neighbors.values().stream()
                .filter(neighbor ->
                        isLargest ? neighbor.host().equals(host) : counts.getOrDefault(neighbor.host(), 0L) == most)
                .toList();
        return candidates.get(random.nextInt(candidates.size()));
    }

    private @Nullable Neighbor removeNeighbor(PeerId peer) {
        Neighbor neighbor = neighbors.remove(peer);
        if (neighbor != null) {
            links.onNeighborDown(peer);
        }
        return neighbor;
    }

    /** Asks known members to become neighbors while there is room. */
    private void fill() {
        while (neighbors.size() + pending.size() < limits.maxNeighbors()) {
            boolean urgent = neighbors.size() < MIN_NEIGHBORS;
            if (!urgent && requests >= REQUESTS_PER_ROUND) {
                return;
            }
            Optional<MemberEntry> next = known.random(peer -> !isLinked(peer) && !refused.contains(peer));
            if (next.isEmpty()) {
                return;
            }
            requests++;
            request(next.get().address(), urgent ? Kind.URGENT_NEIGHBOR : Kind.NEIGHBOR);
        }
    }

    /** Handles that a member cannot be reached, or has left the group. */
    void onFailed(PeerId peer) {
        pending.remove(peer);
        known.remove(peer);
        removeNeighbor(peer);
        fill();
    }

    /** Runs one round: forgets what is too old, looks for neighbors, and exchanges members with one neighbor. */
    void runRound() {
        long now = scheduler.nanoTime();
        List.copyOf(pending.keySet()).forEach(peer -> {
            Long since = pending.get(peer);
            if (since != null && now - since >= REQUEST_TIMEOUT.toNanos()) {
                onFailed(peer);
            }
        });
        known.removeExpired(minExpiresMillis());
        refused.clear();
        displaced.clear();
        requests = 0;
        forwardedJoins = 0;
        fill();
        List<Neighbor> shuffled = new ArrayList<>(neighbors.values());
        Collections.shuffle(shuffled, random);
        for (int i = 0; i < shuffled.size(); i++) {
            links.send(
                    shuffled.get(i).entry().address(),
                    i == 0 ? new ViewMessage(Kind.SHUFFLE, 0, sample()) : ViewMessage.of(Kind.ALIVE));
        }
    }

    /** Returns the entry of this peer, and some of the members that it knows. */
    private List<MemberEntry> sample() {
        List<MemberEntry> near = new ArrayList<>();
        neighbors.values().forEach(neighbor -> near.add(neighbor.entry()));
        near.removeIf(entry -> entry.expiresMillis() <= minExpiresMillis());
        known.removeExpired(minExpiresMillis());
        Collections.shuffle(near, random);
        List<MemberEntry> sample = new ArrayList<>();
        sample.add(ownEntry.get());
        sample.addAll(near.subList(0, Math.min(SHUFFLED_NEIGHBORS, near.size())));
        sample.addAll(known.sample(ViewMessage.MAX_ENTRIES - sample.size()));
        return sample;
    }

    private long minExpiresMillis() {
        return scheduler.clock().millis() + MIN_VALIDITY.toMillis();
    }

    /** Checks a neighbor whose connection was lost: it is connected again, or fails. */
    void check(PeerId peer) {
        Neighbor neighbor = neighbors.get(peer);
        if (neighbor != null) {
            links.send(neighbor.entry().address(), ViewMessage.of(Kind.ALIVE));
        }
    }

    /** Leaves all neighbors, and those that were asked and may become neighbors yet. */
    void leave() {
        pending.keySet().forEach(this::rejectLink);
        pending.clear();
        List.copyOf(neighbors.keySet()).forEach(peer -> {
            rejectLink(peer);
            removeNeighbor(peer);
        });
    }
}
