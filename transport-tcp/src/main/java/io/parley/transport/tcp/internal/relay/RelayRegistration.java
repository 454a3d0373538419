package io.parley.transport.tcp.internal.relay;

import io.netty.buffer.ByteBuf;
import io.parley.common.Scheduler;
import io.parley.common.internal.Timers;
import io.parley.common.internal.WireStatus;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import java.net.InetSocketAddress;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** A peer that listens at the relay of this peer, by one connection. Confined to its executor, except for {@link #offer} and the getters. */
final class RelayRegistration implements ConnectionListener {

    private final Relay relay;
    private final Connection connection;
    private final PeerId peer;
    private final String host;
    private final Scheduler scheduler;
    private Scheduler.Timer timer = () -> {};
    private boolean active;
    private boolean closed;

    RelayRegistration(Relay relay, Connection connection, PeerId peer, String host, Scheduler scheduler) {
        this.relay = relay;
        this.connection = connection;
        this.peer = peer;
        this.host = host;
        this.scheduler = scheduler;
    }

    PeerId peer() {
        return peer;
    }

    /** Returns the prefix of the address of the peer, which limits count. */
    String host() {
        return host;
    }

    /** Responds with the reason, and closes. Takes ownership of the connection. */
    static void refuse(Connection connection, ParleyException reason) {
        connection.start(new DiscardListener());
        connection.write(new RelayFrame.Refused(WireStatus.of(reason)).write(connection.allocator()), null);
        connection.close();
    }

    /** Closes the connection, whose place another one has got. Thread-safe. */
    void close() {
        connection.close();
    }

    void start() {
        connection.start(this);
        connection.completeHandshake(RelayFrame.MAX_BYTES);
        write(new RelayFrame.Served());
        scheduleCheck();
    }

    private void write(RelayFrame frame) {
        connection.write(frame.write(connection.allocator()), null);
        connection.flush();
    }

    private void scheduleCheck() {
        timer = Timers.schedule(
                scheduler,
                RelayedServer.PING_INTERVAL.multipliedBy(RelayedServer.MISSED_PINGS),
                connection.executor(),
                () -> {
                    if (!active && !closed) {
                        connection.abort(ErrorCode.TIMEOUT.exception(
                                "peer " + peer + " at " + connection.remoteAddress() + ": no ping to the relay"));
                    } else if (!closed) {
                        active = false;
                        scheduleCheck();
                    }
                });
    }

    /** Offers a circuit to the peer. Thread-safe. */
    void offer(UUID circuit, InetSocketAddress from) {
        run(() -> {
            if (!closed && connection.isWritable()) {
                write(new RelayFrame.Dialed(circuit, from));
            } else {
                run(() -> onNotOffered(circuit)); // later, because a connection that has ended reports that later
            }
        });
    }

    private void onNotOffered(UUID circuit) {
        if (!closed) { // otherwise the relay has offered it again
            relay.decline(
                    circuit, peer, () -> ErrorCode.BUSY.exception("peer " + peer + " does not read from the relay"));
        }
    }

    private void run(Runnable task) {
        try {
            connection.executor().execute(task);
        } catch (RejectedExecutionException e) {
            // the event loop has ended, and all connections with it
        }
    }

    @Override
    public void onFrame(ByteBuf frame) {
        RelayFrame read = RelayFrame.read(frame);
        active = true;
        if (read instanceof RelayFrame.Ping) {
            if (connection.isWritable()) {
                write(new RelayFrame.Pong());
            }
        } else if (read instanceof RelayFrame.Declined declined) {
            relay.decline(declined.circuit(), peer, () -> declined.status().toException("peer " + peer));
        } else {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "frame of a relay from peer " + peer + " (expected: a ping, or a circuit that is declined)");
        }
    }

    @Override
    public void onReadComplete() {
        // nothing is collected until then
    }

    @Override
    public void onWritable() {
        // frames are short, and refused while the connection is not writable
    }

    @Override
    public void onClosed(@Nullable Throwable cause) {
        closed = true;
        timer.cancel();
        relay.remove(this);
    }

    /** Ignores what a peer sends that was refused. */
    private static final class DiscardListener implements ConnectionListener {

        @Override
        public void onFrame(ByteBuf frame) {}

        @Override
        public void onReadComplete() {}

        @Override
        public void onWritable() {}

        @Override
        public void onClosed(@Nullable Throwable cause) {}
    }
}
