package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.parley.codec.MessageCodec;
import io.parley.common.Scheduler;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.FrameReader;
import io.parley.endpoint.internal.frame.FrameVisitor;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.link.Link;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The acceptor's side of the handshake: waits for HELLO, lets the association decide about the connection, sends ACCEPT or
 * REJECT, and passes further frames to the link. Confined to the event loop of the connection, except for {@link #execute}.
 */
final class AcceptorHandshake implements ConnectionListener, FrameVisitor {

    private static final Logger log = LoggerFactory.getLogger(AcceptorHandshake.class);

    private final Connection connection;
    private final Association.Host host;
    private final EndpointContext context;
    private final FrameWriter frames;
    private Scheduler.@Nullable Timer timer;
    private @Nullable Hello hello;
    private @Nullable Association association;
    private @Nullable Link link;
    private boolean rejected;
    private @Nullable ParleyException fault;

    AcceptorHandshake(Connection connection, Association.Host host, EndpointContext context) {
        this.connection = connection;
        this.host = host;
        this.context = context;
        this.frames = new FrameWriter(connection.allocator());
    }

    /** Starts the connection and waits for HELLO. */
    void start() {
        connection.start(this);
        Duration timeout = context.limits().transport().handshakeTimeout();
        timer = context.schedule(timeout, connection.executor(), () -> onTimeout(timeout));
    }

    private void onTimeout(Duration timeout) {
        if (link == null) {
            connection.abort(
                    ErrorCode.TIMEOUT.exception("handshake not completed within " + DurationFormatter.format(timeout)));
        }
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
        }
    }

    @Override
    public void onFrame(ByteBuf frame) {
        if (link != null) {
            link.onFrame(frame);
            return;
        }
        if (rejected) {
            return;
        }
        try {
            FrameReader.read(frame, this);
        } catch (ParleyException e) {
            fault = e;
            reject(WireStatus.of(e));
        }
    }

    @Override
    public void onHello(Hello received) {
        if (hello != null) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("unexpected HELLO frame: the handshake has begun already");
        }
        PeerId authenticated = connection.authenticatedPeer();
        if (authenticated != null && !authenticated.equals(received.peer())) {
            throw ErrorCode.IDENTITY_REFUSED.exception(
                    "HELLO from peer " + received.peer() + " (expected: the authenticated peer " + authenticated + ")");
        }
        if (received.peer().equals(context.self())) {
            throw ErrorCode.IDENTITY_REFUSED.exception(
                    "HELLO from this peer's own id " + received.peer() + "; two peers share one identity");
        }
        hello = received;
        if (selectCodec(received).isEmpty()) {
            reject(WireStatus.of(
                    ErrorCode.NO_COMMON_CODEC,
                    "no common message codec: the acceptor has " + context.codecNames() + ", the dialer has "
                            + received.codecs()));
            return;
        }
        association = host.acquire(received.peer());
        association.decide(this);
    }

    Hello hello() {
        return Objects.requireNonNull(hello);
    }

    /** Runs the task on the event loop of the connection. Thread-safe. */
    void execute(Runnable task) {
        connection.executor().execute(task);
    }

    private Optional<MessageCodec> selectCodec(Hello received) {
        return received.codecs().stream()
                .flatMap(name ->
                        context.codecs().stream().filter(codec -> codec.name().equals(name)))
                .findFirst();
    }

    /** Sends ACCEPT and activates the link, unless there are too many connections. */
    void accept() {
        Association owner = association;
        if (owner == null || link != null || rejected) {
            return;
        }
        Hello received = hello();
        try {
            if (owner.activeLink() == null) {
                context.connections().acquireAccepted(connection.remoteAddress());
            } else {
                context.connections().acquire(connection.remoteAddress()); // replaces that link
            }
        } catch (ParleyException e) {
            context.rejectionLog().warn("Refused connection from {}: {}", connection.remoteAddress(), e.getMessage());
            reject(WireStatus.of(e));
            return;
        }
        cancelTimer();
        MessageCodec codec = selectCodec(received).orElseThrow();
        context.addresses()
                .add(new PeerAddress(
                        received.peer(), AddressScope.credible(received.addresses(), connection.remoteAddress())));
        List<String> codecsSelectedFirst = Stream.concat(Stream.of(codec.name()), context.codecNames().stream())
                .distinct()
                .toList();
        Hello response = context.newHello(received.connection(), OptionalLong.empty(), codecsSelectedFirst);
        Link accepted = new Link(connection, owner, response, received, codec, context);
        link = accepted;
        connection.write(frames.accept(response), null);
        accepted.start(); // counts the connection before the dialer knows of it
        connection.flush();
        owner.activate(accepted);
    }

    /** Sends REJECT and closes the connection. */
    void reject(WireStatus status) {
        if (!rejected && link == null) {
            rejected = true;
            connection.write(frames.reject(status), null);
            connection.close();
        }
    }

    @Override
    public void onReadComplete() {
        if (link != null) {
            link.onReadComplete();
        }
    }

    @Override
    public void onWritable() {
        if (link != null) {
            link.onWritable();
        }
    }

    @Override
    public void onClosed(@Nullable Throwable cause) {
        if (link != null) {
            link.onClosed(cause);
            return;
        }
        cancelTimer();
        Association acquired = association;
        association = null;
        if (acquired != null) {
            host.release(acquired);
        }
        Throwable reason = fault != null ? fault : cause;
        if (reason instanceof ParleyException failure
                && (failure.code() == ErrorCode.DISCONNECTED || failure.code() == ErrorCode.CLOSED)) {
            // A dialer whose own dial was superseded closes the connection in this way as well.
            log.debug("Connection from {} closed before the handshake was complete", connection.remoteAddress());
        } else if (reason != null) {
            context.metrics().increment(Counter.HANDSHAKES_FAILED);
            context.rejectionLog()
                    .warn("Rejected connection from {}: {}", connection.remoteAddress(), reason.getMessage());
        }
    }
}
