package io.parley.endpoint.link;

import io.parley.endpoint.Connection;
import io.parley.endpoint.EndpointAddress;
import io.parley.endpoint.Transport;
import io.parley.endpoint.wire.Hello;
import io.parley.endpoint.wire.Refusal;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One effort to connect to a peer: tries its addresses one after the other and, while a lost peer may come back, again
 * and again with growing delays. Runs on the endpoint's timer.
 */
final class Dialing {

    private static final int MAX_DUPLICATES = 3;

    private final Association association;
    private final PeerEndpoint endpoint;
    private final EndpointCore core;
    private final long deadlineNanos;
    private final Backoff backoff;
    private final CompletableFuture<Link> result = new CompletableFuture<>();
    private final List<String> failures = new ArrayList<>();
    private @Nullable ParleyException lastFailure;
    private Iterator<EndpointAddress> untried = List.<EndpointAddress>of().iterator();
    private int duplicates;
    private volatile boolean helloSent;
    private volatile @Nullable CompletableFuture<Connection> connecting;

    /** @param patienceNanos how long to try again after failures; zero or less for a single round */
    Dialing(Association association, PeerEndpoint endpoint, EndpointCore core, long patienceNanos) {
        this.association = association;
        this.endpoint = endpoint;
        this.core = core;
        this.deadlineNanos = System.nanoTime() + Math.max(0, patienceNanos);
        this.backoff = new Backoff(core.random());
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
        if (association.peer().equals(core.self())) {
            endpoint.loopback().connect(association);
            return;
        }
        failures.clear();
        untried = core.addresses().find(association.peer()).iterator();
        if (!untried.hasNext()) {
            failures.add("no address of it is known");
        }
        next();
    }

    private void next() {
        if (result.isDone()) {
            return;
        }
        if (untried.hasNext()) {
            dial(untried.next(), OptionalLong.empty());
        } else if (System.nanoTime() < deadlineNanos) {
            core.timer().schedule(this::start, backoff.nextNanos(), TimeUnit.NANOSECONDS);
        } else {
            association.onDialingFailed(this, unreachable());
        }
    }

    private ParleyException unreachable() {
        String text = "peer " + association.peer() + " can't be reached: " + String.join("; ", failures);
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
        Hello hello = endpoint.hello(core.random().nextLong(), lostConnection, endpoint.codecNames());
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
        Refusal refusal = outcome == null ? null : outcome.refusal();
        if (refusal == null) {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            failed(
                    address,
                    cause instanceof ParleyException known
                            ? known
                            : ErrorCode.UNREACHABLE.exception(String.valueOf(cause), cause));
        } else if (refusal.connection().isPresent()) {
            duplicate(address, refusal.connection().getAsLong());
        } else {
            failed(address, refusal.toException("refused by the peer"));
        }
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
