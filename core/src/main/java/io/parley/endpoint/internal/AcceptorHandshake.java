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
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The accepting side's part of agreeing on a connection: it waits for HELLO, asks the association whether this connection
 * shall live, and hands over to the link it makes.
 */
final class AcceptorHandshake implements ConnectionListener, FrameVisitor {

    private static final Logger log = LoggerFactory.getLogger(AcceptorHandshake.class);

    private final Connection connection;
    private final PeerEndpoint endpoint;
    private final EndpointContext core;
    private final FrameWriter frames;
    private @Nullable Hello hello;
    private @Nullable Association association;
    private @Nullable Link link;
    private boolean rejected;
    private @Nullable ParleyException fault;

    AcceptorHandshake(Connection connection, PeerEndpoint endpoint, EndpointContext core) {
        this.connection = connection;
        this.endpoint = endpoint;
        this.core = core;
        this.frames = new FrameWriter(connection.allocator());
    }

    /** Waits for HELLO. On the connection's executor. */
    void start() {
        connection.start(this);
        connection
                .executor()
                .schedule(
                        this::giveUp,
                        core.limits().transport().handshakeTimeout().toNanos(),
                        TimeUnit.NANOSECONDS);
    }

    private void giveUp() {
        if (link == null) {
            connection.abort(ErrorCode.TIMEOUT.exception(
                    "no agreement within " + core.limits().transport().handshakeTimeout()));
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
    public void onHello(Hello said) {
        if (hello != null) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("a second HELLO");
        }
        PeerId proven = connection.authenticatedPeer();
        if (proven != null && !proven.equals(said.peer())) {
            throw ErrorCode.IDENTITY_REFUSED.exception("peer " + proven + " said that it was " + said.peer());
        }
        if (said.peer().equals(core.self())) {
            throw ErrorCode.IDENTITY_REFUSED.exception(
                    "the dialer has this peer's own id; two peers share one identity");
        }
        hello = said;
        if (chooseCodec(said).isEmpty()) {
            reject(WireStatus.of(
                    ErrorCode.NO_COMMON_CODEC,
                    "no message codec in common: this peer has " + endpoint.codecs() + ", the dialer has "
                            + said.codecs()));
            return;
        }
        association = endpoint.acquire(said.peer());
        association.decide(this);
    }

    Hello hello() {
        return Objects.requireNonNull(hello);
    }

    /** Runs it on the connection's executor. */
    void run(Runnable task) {
        connection.executor().execute(task);
    }

    private Optional<MessageCodec> chooseCodec(Hello said) {
        return said.codecs().stream()
                .flatMap(name ->
                        core.codecs().stream().filter(codec -> codec.name().equals(name)))
                .findFirst();
    }

    /** The association wants this connection. On the executor. */
    void accept() {
        Association owner = association;
        if (owner == null || link != null || rejected) {
            return;
        }
        Hello said = hello();
        MessageCodec codec = chooseCodec(said).orElseThrow();
        Link agreed = new Link(connection, owner, said, codec, core);
        link = agreed;
        core.addresses().learn(new PeerAddress(said.peer(), said.addresses()));
        List<String> chosenFirst = Stream.concat(Stream.of(codec.name()), endpoint.codecs().stream())
                .distinct()
                .toList();
        connection.write(frames.accept(endpoint.hello(said.connection(), OptionalLong.empty(), chosenFirst)), null);
        connection.flush();
        agreed.start();
        owner.activate(agreed);
    }

    /** The association does not want it. On the executor. */
    void reject(WireStatus refusal) {
        if (!rejected && link == null) {
            rejected = true;
            connection.write(frames.reject(refusal), null);
            connection.close();
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
        Association asked = association;
        association = null;
        if (asked != null) {
            endpoint.release(asked);
        }
        Throwable reason = fault != null ? fault : cause;
        if (reason instanceof ParleyException failure
                && (failure.code() == ErrorCode.DISCONNECTED || failure.code() == ErrorCode.CLOSED)) {
            // Also what a dialer does whose own dial has been overtaken.
            log.debug("{} went before both sides had agreed", connection.remoteAddress());
        } else if (reason != null) {
            core.metrics().increment(Counter.HANDSHAKES_FAILED);
            log.warn("refused a connection from {}: {}", connection.remoteAddress(), reason.getMessage());
        }
    }
}
