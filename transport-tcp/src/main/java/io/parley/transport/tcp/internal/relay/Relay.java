package io.parley.transport.tcp.internal.relay;

import io.parley.common.Scheduler;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.HostPrefix;
import io.parley.common.internal.HostShares;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.RelayLimits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The relay of a transport: peers listen here, others dial them, and each circuit is accepted by a further connection
 * of the peer that listens. The relay sees the bytes of the two peers' TLS and nothing inside. Thread-safe.
 */
public final class Relay {

    /**
     * The connections by which one peer listens, such as one for each transport, and those that are dead without a sign. The last one is
     * used. A further one replaces the first.
     */
    private static final int MAX_REGISTRATIONS = 4;

    /** The divisor of the time to accept that yields the time in which a client may return. */
    private static final int RETURN_DIVISOR = 5;

    /** A host that is alone leaves room for others: no circuit and no client gives way to that of another host. */
    private static final int MIN_HOSTS = 2;

    private final RelayLimits limits;
    private final EndpointMetrics metrics;
    private final Scheduler scheduler;
    private final HostShares clientShares;
    private final HostShares circuitShares;
    private final Map<PeerId, Deque<RelayRegistration>> clients = new HashMap<>();

    /** The circuits that are not accepted, by id. */
    private final Map<UUID, Circuit> pending = new HashMap<>();

    /** Those of them whose client is absent, by client. */
    private final Map<PeerId, Set<Circuit>> waiting = new HashMap<>();

    /** The others, by the registration to which they were offered. */
    private final Map<RelayRegistration, Set<Circuit>> offered = new HashMap<>();

    /** The circuits of each client, pending ones included. */
    private final Map<PeerId, HostShares> circuits = new HashMap<>();

    /** Creates the relay of one peer. */
    public Relay(RelayLimits limits, EndpointMetrics metrics, Scheduler scheduler) {
        this.limits = limits;
        this.metrics = metrics;
        this.scheduler = scheduler;
        this.clientShares = new HostShares(limits.maxClients(), MIN_HOSTS);
        this.circuitShares = new HostShares(limits.maxCircuits(), MIN_HOSTS);
    }

    /**
     * Serves a peer that listens here. Takes ownership of the connection. Called on its executor.
     *
     * @param claimed the peer that the request has named
     */
    public void listen(Connection connection, PeerId claimed) {
        PeerId authenticated = connection.authenticatedPeer();
        String host = HostPrefix.of(connection.remoteAddress().host());
        if (authenticated != null && !authenticated.equals(claimed)) {
            metrics.increment(Counter.HANDSHAKES_FAILED);
            RelayRegistration.refuse(
                    connection,
                    ErrorCode.IDENTITY_REFUSED.exception(
                            "the request names peer " + claimed + " (expected: " + authenticated + ")"));
            return;
        }
        RelayRegistration registration = new RelayRegistration(this, connection, claimed, host, scheduler);
        List<Offer> offers = new ArrayList<>();
        ParleyException refusal;
        RelayRegistration replaced;
        synchronized (this) {
            replaced = excess(claimed);
            if (replaced != null) {
                offers.addAll(detach(replaced));
            }
            refusal = add(registration);
            if (refusal == null) {
                offers.addAll(assign(waiting.get(claimed)));
            }
        }
        if (replaced != null) {
            replaced.close();
        }
        if (refusal == null) {
            registration.start();
        } else {
            metrics.increment(Counter.CONNECTIONS_REFUSED);
            RelayRegistration.refuse(connection, refusal);
        }
        offers.forEach(this::send);
    }

    /** Returns the first registration of the peer if there is no room for a further one. The caller must hold the lock. */
    private @Nullable RelayRegistration excess(PeerId peer) {
        Deque<RelayRegistration> present = clients.get(peer);
        return present == null || present.size() < MAX_REGISTRATIONS ? null : present.peekFirst();
    }

    /** Returns why the registration is refused. The caller must hold the lock. */
    private @Nullable ParleyException add(RelayRegistration registration) {
        if (!clientShares.tryAcquire(registration.host(), 1)) {
            return ErrorCode.BUSY.exception("clients: too many in total or from this host (expected: <= maxClients "
                    + limits.maxClients() + ")");
        }
        clients.computeIfAbsent(registration.peer(), absent -> new ArrayDeque<>(1))
                .addLast(registration);
        return null;
    }

    /** Ends a registration. Circuits that it has not accepted are offered to the next one of its peer. */
    void remove(RelayRegistration registration) {
        List<Offer> offers;
        synchronized (this) {
            offers = detach(registration);
        }
        offers.forEach(this::send);
    }

    /** Removes a registration. Returns the offers to another one of its peer. The caller must hold the lock. */
    private List<Offer> detach(RelayRegistration registration) {
        Deque<RelayRegistration> present = clients.get(registration.peer());
        if (present == null || !present.remove(registration)) {
            return List.of();
        }
        clientShares.release(registration.host(), 1);
        if (present.isEmpty()) {
            clients.remove(registration.peer());
        }
        return assign(offered.get(registration));
    }

    /** Offers a new circuit to the peer that is dialed, as soon as it listens here. Takes ownership of the connection. */
    void dial(CircuitHalf dialer, PeerId target) {
        Circuit circuit = new Circuit(newId(), dialer, target);
        ParleyException refusal;
        List<Offer> offers = List.of();
        synchronized (this) {
            refusal = acquire(target, circuit.host);
            if (refusal == null) {
                pending.put(circuit.id, circuit);
                offers = assign(Set.of(circuit));
            }
        }
        if (refusal != null) {
            metrics.increment(Counter.CIRCUITS_REFUSED);
            dialer.refuse(refusal);
            return;
        }
        dialer.whenClosed(() -> {
            removePending(circuit);
            onHalfClosed(circuit);
        });
        offers.forEach(this::send);
    }

    /** Returns why there is no room for a circuit. Otherwise {@link #onHalfClosed} must follow. The caller must hold the lock. */
    private @Nullable ParleyException acquire(PeerId target, String host) {
        HostShares ofClient =
                circuits.computeIfAbsent(target, added -> new HostShares(limits.maxCircuitsPerClient(), MIN_HOSTS));
        if (!ofClient.tryAcquire(host, 1)) {
            return ErrorCode.BUSY.exception("circuits to peer " + target
                    + ": too many in total or from this host (expected: <= maxCircuitsPerClient "
                    + limits.maxCircuitsPerClient() + ")");
        }
        if (!circuitShares.tryAcquire(host, 1)) {
            release(target, ofClient, host);
            return ErrorCode.BUSY.exception("circuits: too many in total or from this host (expected: <= maxCircuits "
                    + limits.maxCircuits() + ")");
        }
        return null;
    }

    private void release(PeerId target, HostShares ofClient, String host) {
        ofClient.release(host, 1);
        if (ofClient.used() == 0) {
            circuits.remove(target);
        }
    }

    private UUID newId() {
        return new UUID(scheduler.random().nextLong(), scheduler.random().nextLong());
    }

    /**
     * Assigns pending circuits to the last registrations of their clients. Those of an absent client wait for it. Returns the offers,
     * which are sent without the lock. The caller must hold the lock.
     */
    private List<Offer> assign(@Nullable Set<Circuit> circuits) {
        List<Offer> offers = new ArrayList<>();
        for (Circuit circuit : circuits == null ? List.<Circuit>of() : List.copyOf(circuits)) {
            unassign(circuit);
            Deque<RelayRegistration> present = clients.get(circuit.target);
            if (present == null) {
                // With the timer, because the client may return as soon as the lock is free.
                circuit.startTimer(limits.acceptTimeout().dividedBy(RETURN_DIVISOR), absent(circuit.target));
                waiting.computeIfAbsent(circuit.target, added -> new LinkedHashSet<>(2))
                        .add(circuit);
            } else {
                RelayRegistration client = present.getLast();
                circuit.client = client;
                offered.computeIfAbsent(client, added -> new LinkedHashSet<>(2)).add(circuit);
                offers.add(new Offer(circuit, client));
            }
        }
        return offers;
    }

    /** The caller must hold the lock. */
    private void unassign(Circuit circuit) {
        RelayRegistration client = circuit.client;
        if (client != null) {
            circuit.client = null;
            removeFrom(offered, client, circuit);
        } else {
            removeFrom(waiting, circuit.target, circuit);
        }
    }

    private static <K> void removeFrom(Map<K, Set<Circuit>> circuits, K key, Circuit circuit) {
        Set<Circuit> present = circuits.get(key);
        if (present != null && present.remove(circuit) && present.isEmpty()) {
            circuits.remove(key);
        }
    }

    private static ParleyException absent(PeerId peer) {
        return ErrorCode.UNREACHABLE.exception("peer " + peer + " does not listen at this relay");
    }

    private void send(Offer offer) {
        Circuit circuit = offer.circuit();
        circuit.startTimer(
                limits.acceptTimeout(),
                ErrorCode.TIMEOUT.exception("peer " + circuit.target + " did not accept within "
                        + DurationFormatter.format(limits.acceptTimeout())));
        offer.client().offer(circuit.id, circuit.dialer.remote());
    }

    /** Gives up a circuit that a client has declined, or cannot be offered. */
    void decline(UUID id, PeerId by, Supplier<ParleyException> reason) {
        Circuit circuit;
        synchronized (this) {
            circuit = pending.get(id);
        }
        if (circuit != null && circuit.target.equals(by)) {
            refuse(circuit, reason.get());
        }
    }

    private void refuse(Circuit circuit, ParleyException reason) {
        if (removePending(circuit)) {
            metrics.increment(Counter.CIRCUITS_REFUSED);
            circuit.dialer.refuse(reason);
        }
    }

    /** Returns whether the circuit was pending. */
    private boolean removePending(Circuit circuit) {
        boolean removed;
        synchronized (this) {
            removed = remove(circuit);
        }
        if (removed) {
            circuit.cancelTimer();
        }
        return removed;
    }

    /** Returns whether the circuit was pending. The caller must hold the lock. */
    private boolean remove(Circuit circuit) {
        unassign(circuit);
        return pending.remove(circuit.id, circuit);
    }

    /** Gives the circuit back when none of its connections is open. Until then the relay keeps what it has to write to the other one. */
    private synchronized void onHalfClosed(Circuit circuit) {
        circuit.open--;
        if (circuit.open == 0) {
            circuitShares.release(circuit.host, 1);
            release(circuit.target, Objects.requireNonNull(circuits.get(circuit.target)), circuit.host);
        }
    }

    /** Joins the connection of a peer that accepts a circuit with that of the dialer. Takes ownership of the connection. */
    void accept(CircuitHalf acceptor, UUID id) {
        Circuit circuit;
        synchronized (this) {
            circuit = pending.get(id);
            if (circuit != null) {
                remove(circuit);
                circuit.open++;
            }
        }
        if (circuit == null) {
            acceptor.refuse(ErrorCode.UNREACHABLE.exception("circuit " + id + ": the dialer has given it up"));
            return;
        }
        circuit.cancelTimer();
        acceptor.whenClosed(() -> onHalfClosed(circuit));
        metrics.increment(Counter.CIRCUITS_OPENED);
        circuit.dialer.join(acceptor, limits.idleTimeout());
    }

    /** Returns the number of circuits, pending ones included. */
    public synchronized long circuitCount() {
        return circuitShares.used();
    }

    /** Returns the number of connections by which peers listen here. */
    public synchronized long clientCount() {
        return clientShares.used();
    }

    /** A circuit to be offered to a client. */
    private record Offer(Circuit circuit, RelayRegistration client) {}

    /** A circuit, pending until it is accepted. Compared by identity. */
    private final class Circuit {

        private final UUID id;
        private final CircuitHalf dialer;
        private final PeerId target;
        private final String host;

        /** The registration to which the circuit is offered; null while it waits. Guarded by the relay. */
        private @Nullable RelayRegistration client;

        /** The connections that are open. Guarded by the relay. */
        private int open = 1;

        private Scheduler.Timer timer = () -> {};
        private boolean ended;

        private Circuit(UUID id, CircuitHalf dialer, PeerId target) {
            this.id = id;
            this.dialer = dialer;
            this.target = target;
            this.host = dialer.host();
        }

        private synchronized void startTimer(Duration timeout, ParleyException reason) {
            if (!ended) {
                timer.cancel();
                timer = scheduler.schedule(timeout, () -> refuse(this, reason));
            }
        }

        private synchronized void cancelTimer() {
            ended = true;
            timer.cancel();
        }
    }
}
