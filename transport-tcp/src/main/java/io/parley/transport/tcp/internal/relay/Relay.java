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
        List<Circuit> returned = new ArrayList<>();
        ParleyException refusal;
        RelayRegistration replaced;
        synchronized (this) {
            replaced = removeExcess(claimed);
            refusal = add(registration);
            if (refusal == null) {
                returned.addAll(waiting.getOrDefault(claimed, Set.of()));
                waiting.remove(claimed);
            }
        }
        if (replaced != null) {
            replaced.close();
        }
        if (refusal != null) {
            metrics.increment(Counter.CONNECTIONS_REFUSED);
            RelayRegistration.refuse(connection, refusal);
            return;
        }
        registration.start();
        returned.forEach(circuit -> offer(circuit, registration));
    }

    /** Returns the first registration of the peer if there is no room for a further one. The caller must hold the lock, and close it later. */
    private @Nullable RelayRegistration removeExcess(PeerId peer) {
        Deque<RelayRegistration> present = clients.get(peer);
        RelayRegistration first = present == null || present.size() < MAX_REGISTRATIONS ? null : present.peekFirst();
        if (first != null) {
            remove(first);
        }
        return first;
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

    /** Ends a registration. Circuits that it was to accept fail when their time is over. */
    void remove(RelayRegistration registration) {
        synchronized (this) {
            Deque<RelayRegistration> present = clients.get(registration.peer());
            if (present != null && present.remove(registration)) {
                clientShares.release(registration.host(), 1);
                if (present.isEmpty()) {
                    clients.remove(registration.peer());
                }
            }
        }
    }

    /** Offers a new circuit to the peer that is dialed, as soon as it listens here. Takes ownership of the connection. */
    void dial(CircuitHalf dialer, PeerId target) {
        Circuit circuit = new Circuit(newId(), dialer, target);
        ParleyException refusal;
        RelayRegistration client = null;
        synchronized (this) {
            refusal = acquire(target, circuit.host);
            if (refusal == null) {
                pending.put(circuit.id, circuit);
                client = clientFor(circuit);
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
        if (client != null) {
            offer(circuit, client);
        }
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

    /** Returns the client to which to offer a circuit. Without one, the circuit waits for it. The caller must hold the lock. */
    private @Nullable RelayRegistration clientFor(Circuit circuit) {
        Deque<RelayRegistration> present = clients.get(circuit.target);
        if (present != null) {
            return present.peekLast();
        }
        // With the timer, because the client may return as soon as the lock is free.
        circuit.startTimer(limits.acceptTimeout().dividedBy(RETURN_DIVISOR), absent(circuit.target));
        waiting.computeIfAbsent(circuit.target, added -> new LinkedHashSet<>(2)).add(circuit);
        return null;
    }

    private static ParleyException absent(PeerId peer) {
        return ErrorCode.UNREACHABLE.exception("peer " + peer + " does not listen at this relay");
    }

    private void offer(Circuit circuit, RelayRegistration client) {
        circuit.startTimer(
                limits.acceptTimeout(),
                ErrorCode.TIMEOUT.exception("peer " + circuit.target + " did not accept within "
                        + DurationFormatter.format(limits.acceptTimeout())));
        client.offer(circuit.id, circuit.dialer.remote());
    }

    /** Continues with a circuit that was to be offered to a client that had gone, as if it had been dialed afterwards. */
    void offerAgain(UUID id) {
        Circuit circuit;
        RelayRegistration client;
        synchronized (this) {
            circuit = pending.get(id);
            client = circuit == null ? null : clientFor(circuit);
        }
        if (circuit != null && client != null) {
            offer(circuit, client);
        }
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
        Set<Circuit> ofTarget = waiting.get(circuit.target);
        if (ofTarget != null && ofTarget.remove(circuit) && ofTarget.isEmpty()) {
            waiting.remove(circuit.target);
        }
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

    /** A circuit, pending until it is accepted. Compared by identity. */
    private final class Circuit {

        private final UUID id;
        private final CircuitHalf dialer;
        private final PeerId target;
        private final String host;

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
