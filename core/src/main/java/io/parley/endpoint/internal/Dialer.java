package io.parley.endpoint.internal;

import io.parley.common.internal.Backoff;
import io.parley.common.internal.Throwables;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.frame.WireStatus;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import io.parley.transport.Transport;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One effort to connect to a peer: tries its addresses one after the other, also those that become known meanwhile, and,
 * while a lost peer may come back, again and again with growing delays. Runs on the endpoint's timer.
 */
final class Dialer {

    private static final int MAX_DUPLICATES = 3;

    /** Addresses in one round; more than are known at a time, as new ones may replace those that were tried. */
    private static final int MAX_TRIES = 2 * PeerAddress.MAX_ADDRESSES;

    /** An open connection whose other side has proven to be the peer; not started yet. */
    record AuthenticatedConnection(EndpointAddress address, Connection connection) {}

    private final Association association;
    private final PeerEndpoint endpoint;
    private final EndpointContext core;
    private volatile long deadlineNanos;
    private final Backoff backoff;
    private final CompletableFuture<Link> result = new CompletableFuture<>();
    private final List<String> failures = new ArrayList<>();
    private @Nullable ParleyException lastFailure;
    private final Set<EndpointAddress> tried = new HashSet<>();
    private final AtomicReference<@Nullable AuthenticatedConnection> met = new AtomicReference<>();
    private @Nullable Future<?> nextRound;
    private int duplicates;
    private volatile boolean helloSent;
    private volatile @Nullable CompletableFuture<Connection> connecting;

    /** @param patienceNanos how long to try again after failures; zero or less for a single round */
    Dialer(Association association, PeerEndpoint endpoint, EndpointContext core, long patienceNanos) {
        this.association = association;
        this.endpoint = endpoint;
        this.core = core;
        this.deadlineNanos = System.nanoTime() + Math.max(0, patienceNanos);
        this.backoff = new Backoff(core.random());
        result.whenComplete((link, failure) -> replaceMet(null));
    }

    CompletableFuture<Link> result() {
        return result;
    }

    /** Whether the other side may have this effort's HELLO. */
    boolean isHelloSent() {
        return helloSent;
    }

    void helloSent() {
        helloSent = true;
    }

    /** There is a link, by this effort or by the other side's. */
    void supersede(Link link) {
        result.complete(link);
        CompletableFuture<Connection> unneeded = connecting;
        if (unneeded != null && !helloSent) {
            unneeded.cancel(false);
        }
    }

    void start() {
        nextRound = null;
        if (association.peer().equals(core.self())) {
            endpoint.loopback().connect(association);
            return;
        }
        failures.clear();
        lastFailure = null;
        tried.clear();
        next();
    }

    /** Has that connection tried next, and closed when it is not needed. From any thread. */
    void offer(AuthenticatedConnection opened) {
        replaceMet(opened);
        if (result.isDone()) {
            replaceMet(null);
        }
    }

    boolean hasOffer() {
        return met.get() != null;
    }

    private void replaceMet(@Nullable AuthenticatedConnection opened) {
        AuthenticatedConnection former = met.getAndSet(opened);
        if (former != null) {
            former.connection.close();
        }
    }

    /** A connection has been offered: that is better than to wait, or to dial on. */
    void onOffer() {
        CompletableFuture<Connection> attempt = connecting;
        if (attempt != null && !helloSent) {
            attempt.cancel(false);
        }
        hurry();
    }

    /** There is no time for another round: if one is waited for, that was all. */
    void endPatience() {
        deadlineNanos = System.nanoTime();
        Future<?> waiting = nextRound;
        if (waiting != null && waiting.cancel(false)) {
            nextRound = null;
            next();
        }
    }

    /** Waits no longer for the next round. */
    void hurry() {
        Future<?> waiting = nextRound;
        if (waiting != null) {
            waiting.cancel(false);
            start();
        }
    }

    private void next() {
        if (result.isDone()) {
            return;
        }
        AuthenticatedConnection opened = met.getAndSet(null);
        Optional<EndpointAddress> untried = untried();
        if (opened != null) {
            tried.add(opened.address);
            agree(opened.address, CompletableFuture.completedFuture(opened.connection), OptionalLong.empty());
        } else if (untried.isPresent()) {
            tried.add(untried.get());
            dial(untried.get(), OptionalLong.empty());
        } else if (deadlineNanos - System.nanoTime() > 0) {
            nextRound = core.timer().schedule(this::start, backoff.nextNanos(), TimeUnit.NANOSECONDS);
        } else if (!association.onDialingFailed(this, unreachable())) {
            next();
        }
    }

    private Optional<EndpointAddress> untried() {
        return tried.size() >= MAX_TRIES
                ? Optional.empty()
                : core.addresses().find(association.peer()).stream()
                        .filter(address -> !tried.contains(address))
                        .findFirst();
    }

    private ParleyException unreachable() {
        String why = tried.isEmpty() ? "no address of it is known" : String.join("; ", failures);
        String text = "peer " + association.peer() + " can't be reached: " + why;
        ParleyException only = failures.size() == 1 ? lastFailure : null;
        // With a single address its own reason says more than that it is unreachable.
        return only != null ? only.code().exception(text, only) : ErrorCode.UNREACHABLE.exception(text, lastFailure);
    }

    private void dial(EndpointAddress address, OptionalLong lostConnection) {
        Transport transport = endpoint.transportFor(address.scheme());
        if (transport == null) {
            failed(address, endpoint.noTransport(address));
            return;
        }
        CompletableFuture<Connection> attempt;
        try {
            attempt = transport.dial(address, association.peer());
        } catch (RuntimeException e) {
            attempt = CompletableFuture.failedFuture(e);
        }
        agree(address, attempt, lostConnection);
    }

    private void agree(EndpointAddress address, CompletableFuture<Connection> attempt, OptionalLong lostConnection) {
        connecting = attempt;
        // The dial may be over by now, so that the next step would run here: it has to be sent to where it belongs.
        attempt.thenCompose(connection -> CompletableFuture.completedFuture(connection)
                        .thenComposeAsync(open -> sayHello(open, lostConnection), connection.executor()))
                .whenCompleteAsync((outcome, failure) -> settle(address, outcome, failure), core.timer());
    }

    /** On the connection's executor. */
    private CompletableFuture<DialerHandshake.Outcome> sayHello(Connection connection, OptionalLong lostConnection) {
        if (!association.claimHello(this)) {
            connection.abort(null);
            throw ErrorCode.DUPLICATE_CONNECTION.exception("the peer has dialed at the same time");
        }
        endpoint.retain(association);
        Hello hello = endpoint.hello(core.random().nextLong(), lostConnection, endpoint.codecs());
        return new DialerHandshake(connection, association, hello, core).start();
    }

    private void settle(
            EndpointAddress address, DialerHandshake.@Nullable Outcome outcome, @Nullable Throwable failure) {
        boolean hadHandshake = helloSent;
        helloSent = false;
        if (outcome != null && outcome.link() != null) {
            return; // the association has it; its end releases the association
        }
        if (hadHandshake) {
            endpoint.release(association);
        }
        WireStatus refusal = outcome == null ? null : outcome.refusal();
        if (refusal == null) {
            settle(address, Throwables.unwrapNullable(failure));
        } else if (refusal.connection().isPresent()) {
            duplicate(address, refusal.connection().getAsLong());
        } else {
            failed(address, refusal.toException("refused by the peer"));
        }
    }

    private void settle(EndpointAddress address, @Nullable Throwable cause) {
        if (cause instanceof CancellationException) {
            tried.remove(address); // there was something better to do
            next();
        } else {
            failed(address, asParley(cause));
        }
    }

    private static ParleyException asParley(@Nullable Throwable cause) {
        return cause == null
                ? ErrorCode.UNREACHABLE.exception("no connection")
                : Throwables.toParleyException(cause, ErrorCode.UNREACHABLE);
    }

    private void duplicate(EndpointAddress address, long connectionId) {
        Link link = association.activeLink();
        if (link != null && link.connectionId() == connectionId) {
            result.complete(link);
        } else if (++duplicates <= MAX_DUPLICATES) {
            dial(address, OptionalLong.of(connectionId));
        } else {
            failed(address, ErrorCode.DUPLICATE_CONNECTION.exception("the peer insists on a connection that is gone"));
        }
    }

    private void failed(EndpointAddress address, ParleyException cause) {
        if (cause.code() == ErrorCode.DUPLICATE_CONNECTION && ++duplicates <= MAX_DUPLICATES) {
            // The other side's connection is being accepted: that ends this effort, unless it fails as well.
            core.timer().schedule(this::start, backoff.nextNanos(), TimeUnit.NANOSECONDS);
            return;
        }
        failures.add(address + ": " + cause.getMessage());
        lastFailure = cause;
        next();
    }
}
