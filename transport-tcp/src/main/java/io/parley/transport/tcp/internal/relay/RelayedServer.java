package io.parley.transport.tcp.internal.relay;

import io.netty.buffer.ByteBuf;
import io.parley.common.Scheduler;
import io.parley.common.internal.Backoff;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.Throwables;
import io.parley.common.internal.Timers;
import io.parley.common.internal.TokenBucket;
import io.parley.common.internal.WireStatus;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server that listens at a relay: it keeps a connection to the relay, connects again with growing delays when that is lost, and accepts
 * each circuit by a further connection. Thread-safe.
 */
public final class RelayedServer implements TransportServer {

    /** The interval at which a client pings its relay, shorter than the time after which routers forget a connection. */
    static final Duration PING_INTERVAL = Duration.ofSeconds(15);

    /** The intervals without a frame after which either side gives the connection up. */
    static final int MISSED_PINGS = 3;

    private static final Duration MIN_RETRY_DELAY = Duration.ofMillis(250);
    private static final Duration MAX_RETRY_DELAY = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(RelayedServer.class);

    /** The transport of the server. */
    public interface Owner {

        /** Connects to the relay with a {@link RelayRequest.Listen}. */
        CompletableFuture<Connection> connect();

        /**
         * Connects to the relay with a {@link RelayRequest.Accept}, and passes the connection on when its remote peer is authenticated.
         *
         * @param from the address from which the other peer has dialed, according to the relay
         * @return a future that fails if the circuit is not accepted
         */
        CompletableFuture<Connection> accept(UUID circuit, InetSocketAddress from);
    }

    private final EndpointAddress address;
    private final TransportContext context;
    private final Owner owner;
    private final Backoff backoff;
    private final TokenBucket accepts;
    private final CompletableFuture<Void> reachable = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private Scheduler.Timer retry = () -> {};
    private @Nullable CompletableFuture<Connection> connecting;
    private @Nullable Connection connection;
    private boolean closing;
    private boolean reportedLoss;
    private int accepting;

    /** Creates a server that does nothing until {@link #start}. */
    public RelayedServer(EndpointAddress address, TransportContext context, Owner owner) {
        this.address = address;
        this.context = context;
        this.owner = owner;
        this.backoff = new Backoff(context.scheduler().random(), MIN_RETRY_DELAY, MAX_RETRY_DELAY);
        this.accepts = new TokenBucket(
                context.limits().handshakesPerSecond(), context.scheduler().nanoTime());
    }

    /** Connects to the relay, now and whenever the connection is lost. */
    public void start() {
        CompletableFuture<Connection> attempt;
        synchronized (this) {
            if (closing) {
                return;
            }
            attempt = owner.connect();
            connecting = attempt;
        }
        attempt.whenComplete((opened, failure) -> {
            if (failure != null) {
                onLost(Throwables.toParleyException(Throwables.unwrap(failure), ErrorCode.UNREACHABLE));
            } else {
                startSession(opened);
            }
        });
    }

    /** Called on any thread: the connection may have been there before its listener. */
    private void startSession(Connection opened) {
        try {
            opened.executor().execute(() -> new Session(opened).start());
        } catch (RejectedExecutionException e) { // the event loop has ended, and the connection before it
            onLost(ErrorCode.CLOSED.exception("the transport is closed", e));
        }
    }

    private void onLost(ParleyException cause) {
        boolean first;
        synchronized (this) {
            connection = null;
            connecting = null;
            if (closing) {
                closed.complete(null);
                return;
            }
            first = !reportedLoss;
            reportedLoss = true;
            retry = context.scheduler().schedule(backoff.next(), this::start);
        }
        if (first) {
            log.warn("Not reachable at relay {}: {}; trying again", address.relay(), cause.getMessage());
        } else {
            log.debug("Not reachable at relay {}: {}", address.relay(), cause.getMessage());
        }
    }

    private void onListening(Connection opened) {
        synchronized (this) {
            reportedLoss = false;
        }
        log.info("Reachable at relay {} ({})", address.relay(), opened.authenticatedPeer());
        reachable.complete(null);
    }

    /** Continues with short delays after the next loss. A relay that only begins to serve does not cause that. */
    private synchronized void onAlive() {
        backoff.reset();
    }

    /**
     * Returns whether one more circuit may be accepted. All circuits of the relay together have the rate of one host, and half of the
     * pending handshakes, because a relay can invent the hosts from which they come.
     */
    private synchronized boolean tryAccept() {
        int max = Math.max(
                context.limits().maxHandshakesPerHost(), context.limits().maxHandshakes() / 2);
        boolean free = !closing
                && accepting < max
                && accepts.tryAcquire(context.scheduler().nanoTime());
        accepting += free ? 1 : 0;
        return free;
    }

    private synchronized void onAccepted() {
        accepting--;
    }

    @Override
    public EndpointAddress address() {
        return address;
    }

    @Override
    public CompletableFuture<Void> whenReachable() {
        return reachable.copy();
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        Connection open;
        CompletableFuture<Connection> attempt;
        synchronized (this) {
            closing = true;
            retry.cancel();
            open = connection;
            attempt = connecting;
        }
        reachable.completeExceptionally(ErrorCode.CLOSED.exception("the server at " + address + " is closed"));
        if (open != null) {
            open.close();
        } else if (attempt == null || !attempt.cancel(false)) {
            closed.complete(null);
        }
        return closed.copy();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public synchronized boolean isClosing() {
        return closing;
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, context.limits().closeTimeout());
    }

    @Override
    public String toString() {
        return "server at " + address;
    }

    /** One connection to the relay. Confined to its executor. */
    private final class Session implements ConnectionListener {

        private final Connection relay;
        private Scheduler.Timer timer = () -> {};
        private int missed;
        private boolean listening;
        private @Nullable ParleyException refusal;
        private boolean ended;

        private Session(Connection relay) {
            this.relay = relay;
        }

        private void start() {
            boolean unwanted;
            synchronized (RelayedServer.this) {
                unwanted = closing;
                connecting = null;
                connection = relay;
            }
            relay.start(this);
            if (unwanted) {
                relay.close();
            }
            if (unwanted || ended) {
                return;
            }
            relay.completeHandshake(RelayFrame.MAX_BYTES);
            schedulePing();
        }

        private void schedulePing() {
            timer = Timers.schedule(context.scheduler(), PING_INTERVAL, relay.executor(), this::ping);
        }

        private void ping() {
            if (ended) {
                return;
            }
            if (++missed > MISSED_PINGS) {
                relay.abort(ErrorCode.TIMEOUT.exception("no response to pings"));
                return;
            }
            write(new RelayFrame.Ping());
            schedulePing();
        }

        private void write(RelayFrame frame) {
            relay.write(frame.write(relay.allocator()), null);
            relay.flush();
        }

        @Override
        public void onFrame(ByteBuf frame) {
            RelayFrame read = RelayFrame.read(frame);
            missed = 0;
            if (read instanceof RelayFrame.Served && !listening) {
                listening = true;
                onListening(relay);
            } else if (read instanceof RelayFrame.Refused refused) {
                refusal = refused.status().toException("refused by the relay");
                relay.close();
            } else if (read instanceof RelayFrame.Dialed dialed) {
                accept(dialed);
            } else if (read instanceof RelayFrame.Pong) {
                onAlive();
            } else {
                throw ErrorCode.PROTOCOL_VIOLATION.exception(
                        "frame of a client from a relay, or a second report that it serves this peer");
            }
        }

        private void accept(RelayFrame.Dialed dialed) {
            if (!tryAccept()) {
                decline(dialed, ErrorCode.BUSY.exception("too many circuits at the same time"));
                return;
            }
            owner.accept(dialed.circuit(), dialed.from())
                    .whenCompleteAsync(
                            (accepted, failure) -> {
                                onAccepted();
                                if (failure != null) {
                                    decline(
                                            dialed,
                                            Throwables.toParleyException(
                                                    Throwables.unwrap(failure), ErrorCode.UNREACHABLE));
                                }
                            },
                            relay.executor());
        }

        private void decline(RelayFrame.Dialed dialed, ParleyException reason) {
            if (!ended && relay.isWritable()) {
                write(new RelayFrame.Declined(dialed.circuit(), WireStatus.of(reason)));
            }
        }

        @Override
        public void onReadComplete() {
            // nothing is collected until then
        }

        @Override
        public void onWritable() {
            // frames are short, and not sent while the connection is not writable
        }

        @Override
        public void onClosed(@Nullable Throwable cause) {
            ended = true;
            timer.cancel();
            ParleyException reason = refusal;
            if (reason == null) {
                reason = cause == null
                        ? ErrorCode.DISCONNECTED.exception(
                                "the relay closed the connection; check that both use TLS, or both plaintext")
                        : Throwables.toParleyException(cause, ErrorCode.DISCONNECTED);
            }
            onLost(reason);
        }
    }
}
