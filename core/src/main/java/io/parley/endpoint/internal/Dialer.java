package io.parley.endpoint.internal;

import io.parley.codec.MessageCodec;
import io.parley.common.Scheduler;
import io.parley.common.internal.Backoff;
import io.parley.common.internal.Throwables;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.internal.context.DialLimiter;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.link.Link;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import io.parley.transport.memory.internal.InMemoryConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Connects to a peer once. Dials the addresses of the peer in their order, including addresses that become known meanwhile, and
 * does not wait for one that gives no result: see {@link DialRace}. Continues with the first connection, and with the other addresses
 * if its handshake fails. If the peer was lost and may return, it repeats this in rounds with growing delays. Confined to the
 * executor of the endpoint, except for the methods that are documented otherwise.
 */
final class Dialer implements DialRace.Owner {

    private static final int MAX_DUPLICATES = 3;

    /**
     * The maximum number of dials in one round. Exceeds the known addresses, because new ones may replace tried ones, and abandoned
     * ones are tried again.
     */
    private static final int MAX_TRIES = 2 * PeerAddress.MAX_ADDRESSES;

    /**
     * The maximum number of rounds that start early because of a new address, so that a peer that announces new addresses without end
     * is not dialed without end.
     */
    private static final int MAX_EARLY_ROUNDS = PeerAddress.MAX_ADDRESSES;

    /** An open connection, not yet started, whose remote end is authenticated as the peer. */
    record AuthenticatedConnection(EndpointAddress address, Connection connection) {}

    private final Association association;
    private final Association.Host host;
    private final EndpointContext context;
    private final Backoff backoff;
    private final DialRace race;
    private final CompletableFuture<Link> result = new CompletableFuture<>();
    private final List<String> failures = new ArrayList<>();
    private @Nullable ParleyException lastFailure;

    /** The addresses of this round whose dial or handshake has failed or is in progress. */
    private final Set<EndpointAddress> tried = new HashSet<>();

    /** The addresses of this round whose dial was abandoned. They come after those that were not tried. */
    private final Set<EndpointAddress> abandoned = new HashSet<>();

    private int tries;
    private final AtomicReference<@Nullable AuthenticatedConnection> offered = new AtomicReference<>();
    private long deadlineNanos;
    private int earlyRounds;
    private Scheduler.@Nullable Timer nextRound;
    private int duplicates;

    /** The connection that the remote peer has and this peer does not, which the next HELLO reports. */
    private OptionalLong lostConnection = OptionalLong.empty();

    /** Completes when the HELLO that was sent needs no further response. Null if none was sent, or after the response. */
    private volatile @Nullable CompletableFuture<Void> sentHello;

    /** The relayed link that a direct one replaces. Null if there is no link, so that relayed addresses are dialed too. */
    private volatile @Nullable Link replaced;

    /**
     * @param retryTime the time in which failed rounds are repeated; a single round if it is not positive
     * @param replaced  the relayed link to replace by a direct one; null if there is no link
     */
    Dialer(
            Association association,
            Association.Host host,
            EndpointContext context,
            Duration retryTime,
            @Nullable Link replaced) {
        this.replaced = replaced;
        if (replaced != null) {
            lostConnection = OptionalLong.of(replaced.connectionId());
        }
        this.association = association;
        this.host = host;
        this.context = context;
        this.deadlineNanos = nanoTime() + Math.max(0, retryTime.toNanos());
        this.backoff = new Backoff(context.scheduler().random());
        this.race = new DialRace(context, association.peer(), this);
        result.whenComplete((link, failure) -> {
            replaceOffer(null);
            EndpointContext.execute(context.executor(), this::stop);
        });
    }

    private long nanoTime() {
        return context.scheduler().nanoTime();
    }

    /** Returns the future link. Thread-safe. */
    CompletableFuture<Link> result() {
        return result;
    }

    /**
     * Returns a future that completes when the remote peer has responded to the HELLO of this dialer, or there is a link. Null if it
     * cannot have received one. Thread-safe.
     */
    @Nullable
    CompletableFuture<Void> sentHello() {
        return sentHello;
    }

    /** Must be called under the lock of the association. */
    void markHelloSent() {
        sentHello = new CompletableFuture<>();
    }

    /** Must be called under the lock of the association. */
    void markHelloEnded() {
        sentHello = null;
    }

    /**
     * Continues as the dialer of a peer without a link. Must be called during a handshake, under the lock of the association: nothing else
     * changes this dialer before {@link Association#onHelloEnded}.
     */
    void onReplacedLinkLost(Duration retryTime) {
        replaced = null;
        deadlineNanos = nanoTime() + Math.max(0, retryTime.toNanos());
    }

    /** Completes with a link, which this dialer or the remote peer dialed. Thread-safe. */
    void supersede(Link link) {
        result.complete(link);
        CompletableFuture<Void> hello = sentHello;
        if (hello != null) {
            hello.complete(null);
        }
    }

    /** Starts a round, unless the dialer is done. */
    void start() {
        nextRound = null;
        if (result.isDone()) {
            return;
        }
        if (association.peer().equals(context.self())) {
            connectToSelf();
            return;
        }
        failures.clear();
        lastFailure = null;
        tried.clear();
        abandoned.clear();
        tries = 0;
        Duration delay = directDelay();
        if (delay.isZero()) {
            tryNext();
        } else {
            scheduleNextRound(delay);
        }
    }

    /** Returns the time until direct addresses of a relayed peer may be dialed. Zero if there are none. */
    private Duration directDelay() {
        return replaced == null || nextAddress().isEmpty()
                ? Duration.ZERO
                : context.directDialLimiter().tryStart(association.peer());
    }

    private void stop() {
        cancelNextRound();
        race.cancel();
    }

    /** Connects this peer to itself by two links over a connection in memory, so that it can use its own services. */
    private void connectToSelf() {
        EndpointAddress address = new EndpointAddress(InMemoryConnection.SCHEME, "loopback", -1);
        InMemoryConnection near = InMemoryConnection.connect(
                context.executor(), address, context.self(), context.executor(), address, context.self());
        Hello hello = context.newHello(0, OptionalLong.empty(), context.codecNames());
        newLoopbackLink(near.other(), hello);
        Link link = newLoopbackLink(near, hello);
        association.activate(link);
        if (result.isCompletedExceptionally()) {
            link.abort(null); // the endpoint was closed meanwhile, and has not seen the link
        }
    }

    private Link newLoopbackLink(Connection connection, Hello hello) {
        MessageCodec codec = context.codecs().get(0);
        host.retain(association); // released when the link is closed
        context.connections().acquire(connection.remoteAddress());
        Link link = new Link(connection, association, hello, hello, codec, context);
        connection.start(link);
        link.start();
        return link;
    }

    /** Makes a connection the next one to try, or closes it if it is not needed. Takes ownership of it. Thread-safe. */
    void offer(AuthenticatedConnection connection) {
        replaceOffer(connection);
        if (result.isDone()) {
            replaceOffer(null);
        }
    }

    /** Thread-safe. */
    boolean hasOffer() {
        return offered.get() != null;
    }

    private void replaceOffer(@Nullable AuthenticatedConnection connection) {
        AuthenticatedConnection former = offered.getAndSet(connection);
        if (former != null) {
            former.connection.close();
        }
    }

    /** Starts no further round. Fails if the next round is pending. */
    void stopRetrying() {
        deadlineNanos = nanoTime();
        if (cancelNextRound()) {
            tryNext();
        }
    }

    /** Continues with an offered connection or a new address, instead of waiting for the next round or for dials. */
    void retryNow() {
        if (race.isRunning()) {
            tryNext();
        } else if (nextRound != null && (hasOffer() || earlyRounds++ < MAX_EARLY_ROUNDS)) {
            cancelNextRound();
            start();
        }
    }

    private boolean cancelNextRound() {
        Scheduler.Timer pending = nextRound;
        nextRound = null;
        if (pending == null) {
            return false;
        }
        pending.cancel();
        return true;
    }

    private void scheduleNextRound(Duration delay) {
        Scheduler.Timer[] self = new Scheduler.Timer[1];
        // Compares the timer, because its task may be on its way to the executor when the round is cancelled.
        self[0] = context.schedule(delay, context.executor(), () -> {
            if (nextRound == self[0]) {
                start();
            }
        });
        nextRound = self[0];
    }

    private Duration nextDelay() {
        return Duration.ofNanos(backoff.nextNanos());
    }

    /** Must not be called during a handshake, because there is one at a time. */
    private void tryNext() {
        if (result.isDone()) {
            return;
        }
        AuthenticatedConnection connection = offered.getAndSet(null);
        Optional<EndpointAddress> address = nextAddress();
        if (connection != null) {
            startHandshake(connection.address, connection.connection);
        } else if (address.isPresent() && race.isReady()) {
            tried.add(address.get());
            tries++;
            dialIfPermitted(address.get());
            tryNext();
        } else if (address.isPresent()) {
            race.awaitReady();
        } else if (!race.isRunning()) {
            endRound();
        }
    }

    private void dialIfPermitted(EndpointAddress address) {
        if (context.dialLimiter().tryDial(address, association.peer())) {
            race.dial(address);
        } else {
            failures.add(address + ": not dialed, because several peers that claim it were not found there"
                    + " (expected: <= " + DialLimiter.MAX_PEERS + " peers and " + DialLimiter.MAX_REPEATED
                    + " further dials within " + DialLimiter.PERIOD + ")");
        }
    }

    private void endRound() {
        if (deadlineNanos - nanoTime() > 0) {
            scheduleNextRound(nextDelay());
        } else if (!association.onDialFailed(this, unreachable())) {
            tryNext();
        }
    }

    private Optional<EndpointAddress> nextAddress() {
        return tries >= MAX_TRIES
                ? Optional.empty()
                : context.addresses().find(association.peer()).stream()
                        .filter(address -> !tried.contains(address) && (replaced == null || !address.isRelayed()))
                        .min(Comparator.comparing(abandoned::contains)); // the first one of equal ones
    }

    private ParleyException unreachable() {
        String reason = tried.isEmpty() ? "no address of the peer is known" : String.join(", ", failures);
        String text = "peer " + association.peer() + " is unreachable: " + reason;
        ParleyException only = failures.size() == 1 ? lastFailure : null;
        // The code of the only failure is more specific than UNREACHABLE.
        return only != null ? only.code().exception(text, only) : ErrorCode.UNREACHABLE.exception(text, lastFailure);
    }

    @Override
    public void onReady() {
        tryNext();
    }

    @Override
    public void onConnected(EndpointAddress address, Connection connection) {
        startHandshake(address, connection);
    }

    @Override
    public void onDialFailed(EndpointAddress address, Throwable cause) {
        addFailure(address, Throwables.toParleyException(cause, ErrorCode.UNREACHABLE));
        tryNext();
    }

    /** Abandons all dials, whose addresses are tried again if the handshake fails. Takes ownership of the connection. */
    private void startHandshake(EndpointAddress address, Connection connection) {
        Set<EndpointAddress> cancelled = race.cancel();
        abandoned.addAll(cancelled);
        tried.removeAll(cancelled);
        tried.add(address);
        OptionalLong lost = lostConnection;
        CompletableFuture.completedFuture(connection)
                .thenComposeAsync(open -> sendHello(open, lost), connection.executor())
                .whenCompleteAsync((outcome, failure) -> onOutcome(address, outcome, failure), context.executor());
    }

    /** Must be called on the event loop of the connection. */
    private CompletableFuture<DialerHandshake.Outcome> sendHello(Connection connection, OptionalLong lost) {
        if (!association.tryMarkHelloSent(this)) {
            connection.abort(null);
            throw ErrorCode.DUPLICATE_CONNECTION.exception("the remote peer dialed at the same time");
        }
        host.retain(association);
        Hello hello = context.newHello(context.scheduler().random().nextLong(), lost, context.codecNames());
        return new DialerHandshake(connection, association, hello, context).start();
    }

    private void onOutcome(
            EndpointAddress address, DialerHandshake.@Nullable Outcome outcome, @Nullable Throwable failure) {
        CompletableFuture<Void> hello = sentHello;
        if (hello != null) {
            association.onHelloEnded(this);
            hello.complete(null);
        }
        if (outcome != null) {
            context.dialLimiter().onFound(address, association.peer());
        }
        if (outcome != null && outcome.link() != null) {
            return; // the association owns the link, whose end releases the association
        }
        if (hello != null) {
            host.release(association);
        }
        WireStatus rejection = outcome == null ? null : outcome.rejection();
        if (rejection == null) {
            onHandshakeFailed(address, Throwables.unwrapNullable(failure));
        } else if (rejection.connection().isPresent()) {
            onDuplicate(address, rejection.connection().getAsLong());
        } else {
            onHandshakeFailed(address, rejection.toException("rejected by the remote peer"));
        }
    }

    private void onDuplicate(EndpointAddress address, long connectionId) {
        Link link = association.activeLink();
        if (link != null && link == replaced && link.connectionId() == connectionId) {
            addFailure(
                    address, ErrorCode.DUPLICATE_CONNECTION.exception("the remote peer keeps the relayed connection"));
            tryNext();
        } else if (link != null && link.connectionId() == connectionId) {
            result.complete(link);
        } else if (++duplicates <= MAX_DUPLICATES) {
            lostConnection = OptionalLong.of(connectionId);
            redial(address);
        } else {
            onHandshakeFailed(
                    address,
                    ErrorCode.DUPLICATE_CONNECTION.exception("the remote peer insists on a connection that is lost"));
        }
    }

    private void redial(EndpointAddress address) {
        if (!result.isDone()) {
            race.dial(address);
            tryNext();
        }
    }

    private void onHandshakeFailed(EndpointAddress address, @Nullable Throwable cause) {
        ParleyException failure = cause == null
                ? ErrorCode.UNREACHABLE.exception("no connection")
                : Throwables.toParleyException(cause, ErrorCode.UNREACHABLE);
        if (failure.code() == ErrorCode.DUPLICATE_CONNECTION && ++duplicates <= MAX_DUPLICATES) {
            // The association accepts a connection of the remote peer, which ends this dialer unless it fails as well.
            context.schedule(nextDelay(), context.executor(), this::start);
            return;
        }
        addFailure(address, failure);
        tryNext();
    }

    private void addFailure(EndpointAddress address, ParleyException failure) {
        String reason = String.valueOf(failure.getMessage());
        String prefix = address + ": "; // that of many failures of transports
        failures.add(reason.startsWith(prefix) ? reason : prefix + reason);
        lastFailure = failure;
    }
}
