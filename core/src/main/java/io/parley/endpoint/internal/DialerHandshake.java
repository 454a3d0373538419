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
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The dialer's side of the handshake: sends HELLO, receives ACCEPT or REJECT, and passes further frames to the link.
 * Confined to the event loop of the connection.
 */
final class DialerHandshake implements ConnectionListener, FrameVisitor {

    /** The result of a handshake: a link, or the rejection by the remote peer. */
    record Outcome(@Nullable Link link, @Nullable WireStatus rejection) {}

    private final Connection connection;
    private final Link.Owner owner;
    private final Hello hello;
    private final EndpointContext context;
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    private @Nullable Link link;

    DialerHandshake(Connection connection, Link.Owner owner, Hello hello, EndpointContext context) {
        this.connection = connection;
        this.owner = owner;
        this.hello = hello;
        this.context = context;
    }

    /** Starts the connection and sends HELLO. */
    CompletableFuture<Outcome> start() {
        connection.start(this);
        connection.write(new FrameWriter(connection.allocator()).hello(hello), null);
        connection.flush();
        Duration timeout = context.limits().transport().handshakeTimeout();
        Scheduler.Timer timer = context.schedule(timeout, connection.executor(), () -> onTimeout(timeout));
        outcome.whenComplete((result, failure) -> timer.cancel());
        return outcome;
    }

    private void onTimeout(Duration timeout) {
        if (link == null) {
            connection.abort(ErrorCode.TIMEOUT.exception(
                    connection.remoteAddress() + ": no response to HELLO within " + DurationFormatter.format(timeout)));
        }
    }

    @Override
    public void onFrame(ByteBuf frame) {
        if (link != null) {
            link.onFrame(frame);
            return;
        }
        try {
            FrameReader.read(frame, this);
        } catch (ParleyException e) {
            connection.abort(e);
        }
    }

    @Override
    public void onAccept(Hello response) {
        if (outcome.isDone() || response.connection() != hello.connection()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(connection.remoteAddress() + ": ACCEPT for connection "
                    + response.connection() + " (expected: " + hello.connection() + ", once)");
        }
        if (!response.peer().equals(owner.peer())) {
            throw ErrorCode.IDENTITY_REFUSED.exception(connection.remoteAddress() + ": ACCEPT from peer "
                    + response.peer() + " (expected: " + owner.peer() + ")");
        }
        MessageCodec codec = context.codecs().stream()
                .filter(own -> response.codecs().stream().limit(1).anyMatch(own.name()::equals))
                .findFirst()
                .orElseThrow(() -> ErrorCode.PROTOCOL_VIOLATION.exception(connection.remoteAddress()
                        + ": ACCEPT with codecs " + response.codecs() + " (expected: the first one of "
                        + context.codecNames() + ")"));
        context.connections().acquire(connection.remoteAddress());
        Link accepted = new Link(connection, owner, hello, response, codec, context);
        link = accepted;
        accepted.start();
        owner.activate(accepted);
        outcome.complete(new Outcome(accepted, null));
    }

    @Override
    public void onReject(WireStatus status) {
        outcome.complete(new Outcome(null, status));
        connection.close();
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
        } else {
            outcome.completeExceptionally(
                    cause != null
                            ? cause
                            : ErrorCode.UNREACHABLE.exception(
                                    connection.remoteAddress() + ": connection closed without a response to HELLO"));
        }
    }
}
