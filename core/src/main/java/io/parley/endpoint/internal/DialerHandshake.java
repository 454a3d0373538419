package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.parley.codec.MessageCodec;
import io.parley.endpoint.internal.frame.FrameReader;
import io.parley.endpoint.internal.frame.FrameVisitor;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.frame.WireStatus;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The dialer's part of agreeing on a connection: HELLO, then ACCEPT or REJECT. Hands over to the link it makes. */
final class DialerHandshake implements ConnectionListener, FrameVisitor {

    /** What came of it: a link, or the other side's refusal. */
    record Outcome(@Nullable Link link, @Nullable WireStatus refusal) {}

    private final Connection connection;
    private final Association association;
    private final Hello hello;
    private final EndpointContext core;
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    private @Nullable Link link;

    DialerHandshake(Connection connection, Association association, Hello hello, EndpointContext core) {
        this.connection = connection;
        this.association = association;
        this.hello = hello;
        this.core = core;
    }

    /** Says hello. On the connection's executor. */
    CompletableFuture<Outcome> start() {
        connection.start(this);
        connection.write(new FrameWriter(connection.allocator()).hello(hello), null);
        connection.flush();
        connection
                .executor()
                .schedule(
                        this::giveUp,
                        core.limits().transport().handshakeTimeout().toNanos(),
                        TimeUnit.NANOSECONDS);
        return outcome;
    }

    private void giveUp() {
        if (link == null) {
            connection.abort(ErrorCode.TIMEOUT.exception(connection.remoteAddress() + " did not answer within "
                    + core.limits().transport().handshakeTimeout()));
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
    public void onAccept(Hello answer) {
        if (outcome.isDone() || answer.connection() != hello.connection()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    connection.remoteAddress() + " accepted a connection that it was not asked for");
        }
        if (!answer.peer().equals(association.peer())) {
            throw ErrorCode.IDENTITY_REFUSED.exception(connection.remoteAddress() + " answered as peer " + answer.peer()
                    + " (expected: " + association.peer() + ")");
        }
        MessageCodec codec = core.codecs().stream()
                .filter(offered -> answer.codecs().stream().limit(1).anyMatch(offered.name()::equals))
                .findFirst()
                .orElseThrow(() -> ErrorCode.PROTOCOL_VIOLATION.exception(
                        "the peer chose the first of the codecs " + answer.codecs() + ", which was not offered"));
        Link agreed = new Link(connection, association, answer, codec, core);
        link = agreed;
        agreed.start();
        association.activate(agreed);
        outcome.complete(new Outcome(agreed, null));
    }

    @Override
    public void onReject(WireStatus refusal) {
        outcome.complete(new Outcome(null, refusal));
        connection.close();
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
                                    connection.remoteAddress() + " closed the connection without a word"));
        }
    }
}
