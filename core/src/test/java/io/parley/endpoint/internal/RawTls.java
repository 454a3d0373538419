package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.ssl.SslProvider;
import io.parley.common.Scheduler;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.tunnel.TlsSession;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.tls.TlsHandlerFactory;
import java.util.function.Function;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/** The tunnel of a raw peer that has dialed: a TLS client, whose records a test writes itself. */
final class RawTls implements AutoCloseable {

    private final RawPeer peer;
    private final TlsHandlerFactory tls;
    private final SSLEngine engine;
    private final TlsSession session;

    RawTls(RawPeer peer) throws SSLException {
        this.peer = peer;
        this.tls = new TlsHandlerFactory(
                new TransportContext(
                        peer.identity,
                        TransportSecurity.PLAINTEXT,
                        TransportLimits.DEFAULTS,
                        new EndpointMetrics(),
                        Scheduler.system()),
                () -> SslProvider.JDK);
        this.engine = tls.newEngine(true, peer.connection.allocator());
        this.session = new TlsSession(engine);
    }

    /** Completes the handshake, and exchanges HELLO inside. */
    void open() throws Exception {
        ByteBuf out = Unpooled.buffer();
        ByteBuf plain = Unpooled.buffer();
        session.begin();
        session.writeHandshake(out);
        while (!plain.isReadable()) {
            send(out);
            session.open(peer.nextRecords(), plain, out, null);
        }
        send(out);
        send(frames -> frames.hello(peer.hello()));
    }

    /** Updates the key, and requests the other peer to do so. An ignored frame follows: TLS limits the updates in a row. */
    void requestUpdate() throws SSLException {
        ByteBuf out = Unpooled.buffer();
        session.begin();
        session.writeHandshake(out);
        send(out);
        send(frames -> frames.pong(0));
    }

    private void send(Function<FrameWriter, ByteBuf> frame) throws SSLException {
        ByteBuf content = frame.apply(peer.frames);
        ByteBuf plain = Unpooled.buffer().writeInt(content.readableBytes()).writeBytes(content);
        content.release();
        ByteBuf out = Unpooled.buffer();
        session.seal(plain, out);
        send(out);
    }

    /** Sends the records, if there are any, and clears the buffer. */
    private void send(ByteBuf records) {
        if (records.isReadable()) {
            ByteBuf copy = Unpooled.copiedBuffer(records);
            records.clear();
            peer.write(frames -> frames.sealed(copy.readableBytes()).writeBytes(copy));
        }
    }

    @Override
    public void close() {
        session.release();
        tls.close();
    }
}
