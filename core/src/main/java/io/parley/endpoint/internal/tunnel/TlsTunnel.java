package io.parley.endpoint.internal.tunnel;

import io.netty.buffer.ByteBuf;
import io.parley.common.Scheduler;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.HostPrefix;
import io.parley.common.internal.Throwables;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.FrameReader;
import io.parley.endpoint.internal.frame.FrameVisitor;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.memory.MemoryBudget;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.internal.PeerCertificateVerifier;
import io.parley.transport.Connection;
import io.parley.transport.tls.TlsHandlerFactory;
import java.security.cert.CertificateException;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * A TLS session between the two peers of a link whose transport does not authenticate them. All frames of secure channels are inside:
 * SEALED frames of the link carry its records. The tunnel is opened by the first secure messenger. The dialer of the link is the TLS
 * client; the acceptor requests the handshake by an empty SEALED frame. After the TLS handshake each peer repeats its HELLO of the link
 * inside, so that what the link has negotiated is authenticated, too. Channel frames follow the HELLO of the remote peer.
 *
 * <p>Any change of the records on the path ends the link, with a reason. Confined to the event loop of the link.
 */
public final class TlsTunnel implements FrameVisitor {

    /** The link of a tunnel. Its text form describes it. */
    public interface Owner {

        /** Returns the peer that must be authenticated. */
        PeerId peer();

        /** Returns the HELLO that the remote peer has sent on the link. */
        Hello remote();

        MemoryBudget memory();

        /** Reserves memory. If it is short, asks for that of idle channels, which comes later. */
        boolean tryReserve(long bytes);

        /**
         * Runs a task on the event loop, later and as if it was a read. Runs the other task on this thread if the event loop has
         * terminated. Thread-safe.
         */
        void execute(Runnable task, Runnable otherwise);

        /** Opens the channels inside. */
        void onTunnelOpened();

        /** Returns the receiver of the frames inside, after {@link #onTunnelOpened}. */
        FrameVisitor tunnelFrames();

        /** Writes a frame inside that the remote peer has caused. Takes ownership of it. */
        void respondInTunnel(ByteBuf frame);

        /** Ends the link because the tunnel cannot be opened. Does nothing if it has ended. */
        void endTunnel(ParleyException cause);

        /** Aborts the connection. */
        void abort(Throwable cause);
    }

    /** About the memory of a TLS session and its buffers, in bytes. */
    private static final int SESSION_BYTES = 64 * 1024;

    /** The largest frame of the TLS handshake, and the largest content before the remote peer is authenticated, in bytes. */
    private static final int MAX_HANDSHAKE_BYTES = Connection.MAX_HANDSHAKE_FRAME_BYTES;

    /**
     * The memory of the records that wait to be written because of those of the remote peer, in bytes. A peer that requests more without
     * reading is dropped.
     */
    private static final int MAX_PENDING_BYTES = 1 << 20;

    /** The content of a record with PING 0. */
    private static final byte[] PROBE = {0, 0, 0, 9, 5, 0, 0, 0, 0, 0, 0, 0, 0};

    /** The number of keep-alive intervals without a record after which the remote peer is considered unreachable. */
    private static final int MAX_SILENT_INTERVALS = 3;

    private final Owner link;
    private final Connection connection;
    private final Hello local;
    private final EndpointContext context;
    private final FrameWriter frames;
    private final SealedConnection sealed;

    private Scheduler.@Nullable Timer timer;
    private @Nullable TlsSession session;
    private boolean requested;
    private boolean starting;
    private boolean authenticating;
    private boolean authenticated;
    private boolean open;
    private boolean closed;
    private boolean reserved;

    /** The first records of the remote peer, while the session is created; then its HELLO, while its certificates are verified. */
    private @Nullable ByteBuf kept;

    /** An empty SEALED frame, for what TLS may have to send in response to the next records. */
    private @Nullable ByteBuf unused;

    private boolean recordReceived;
    private int silentIntervals;
    private int pendingBytes;

    /** @param local the HELLO that this peer has sent on the link */
    public TlsTunnel(Owner link, Connection connection, Hello local, EndpointContext context) {
        this.link = link;
        this.connection = connection;
        this.local = local;
        this.context = context;
        this.frames = new FrameWriter(connection.allocator());
        this.sealed = new SealedConnection(connection, link.peer());
    }

    /** Returns the connection for the frames inside. */
    public Connection connection() {
        return sealed;
    }

    /** Opens the tunnel, because this peer has a messenger for it. */
    public void open() {
        if (starting || requested || closed) {
            return;
        }
        startTimer();
        if (connection.isDialer()) {
            start();
        } else {
            requested = true;
            connection.write(frames.sealed(0), null);
            connection.flush();
        }
    }

    private void startTimer() {
        if (timer == null) {
            Duration timeout = context.limits().transport().handshakeTimeout();
            timer = context.schedule(timeout, connection.executor(), () -> {
                if (!open) {
                    fail(ErrorCode.TIMEOUT.exception(
                            describe("TLS handshake not completed within " + DurationFormatter.format(timeout))));
                }
            });
        }
    }

    /** Creates the session, which may take a while, on another thread. */
    private void start() {
        starting = true;
        startTimer();
        TlsHandlerFactory tls = context.tls();
        if (tls == null) {
            fail(ErrorCode.SECURITY_MISMATCH.exception(
                    describe("this endpoint has no identity for TLS; use a transport with TLS")));
            return;
        }
        if (!link.tryReserve(SESSION_BYTES)) {
            fail(ErrorCode.BUSY.exception(
                    describe("no memory for TLS: " + link.memory().describeShortage(SESSION_BYTES))));
            return;
        }
        reserved = true;
        boolean dialer = connection.isDialer();
        run(() -> newSession(tls, dialer), (created, failure) -> {
            if (created == null) {
                fail(failure(failure, ErrorCode.SERVICE_FAILED));
            } else if (closed) {
                created.release();
            } else {
                onSession(created);
            }
        });
    }

    private TlsSession newSession(TlsHandlerFactory tls, boolean dialer) {
        try {
            return new TlsSession(tls.newEngine(dialer, connection.allocator()));
        } catch (SSLException e) {
            throw ErrorCode.SERVICE_FAILED.exception(describe("cannot use TLS: " + e.getMessage()), e);
        }
    }

    private interface Completion<T> {
        void accept(@Nullable T result, @Nullable Throwable failure);
    }

    /** Runs a task for this host on the threads for long work, and then the completion on the event loop. */
    private <T> void run(Supplier<T> task, Completion<T> completion) {
        String host = HostPrefix.of(connection.remoteAddress().host());
        Executor executor = next -> context.decoding().execute(host, next);
        CompletableFuture<T> result;
        try {
            result = CompletableFuture.supplyAsync(task, executor);
        } catch (RejectedExecutionException e) {
            completion.accept(null, ErrorCode.CLOSED.exception(describe("the endpoint is closed"), e));
            return;
        }
        result.whenComplete((value, failure) -> link.execute(() -> completion.accept(value, failure), () -> {
            if (value instanceof TlsSession unused) {
                unused.release();
            }
        }));
    }

    private void onSession(TlsSession created) {
        session = created;
        ByteBuf first = kept;
        kept = null;
        if (first != null) {
            try {
                receive(first, created);
            } finally {
                first.release();
            }
            return;
        }
        ByteBuf out = frames.sealed(MAX_HANDSHAKE_BYTES);
        try {
            created.begin();
            created.writeHandshake(out);
        } catch (SSLException e) {
            out.release();
            throw fault(e);
        }
        connection.write(out, null);
        connection.flush();
    }

    /** Called with the records of a SEALED frame, which are borrowed for this call. */
    public void onRecords(ByteBuf records) {
        if (closed) {
            return;
        }
        TlsSession present = session;
        if (present != null && records.isReadable()) {
            sealed.onRead();
            receive(records, present);
        } else if (connection.isDialer()) {
            if (records.isReadable()) {
                throw ErrorCode.PROTOCOL_VIOLATION.exception(
                        "unexpected SEALED frame: the dialer has not begun the handshake");
            }
            if (!starting) {
                start();
            }
        } else {
            if (!records.isReadable()) {
                throw ErrorCode.PROTOCOL_VIOLATION.exception("unexpected SEALED frame: without a TLS record");
            }
            keep(records);
            if (!starting) {
                start();
            }
        }
    }

    /** Keeps a copy, because the session or the verification is not ready. */
    private void keep(ByteBuf bytes) {
        int size = bytes.readableBytes() + (kept == null ? 0 : kept.readableBytes());
        if (size > MAX_HANDSHAKE_BYTES) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(describe("TLS handshake: " + size
                    + " bytes before the authentication (expected: <= " + MAX_HANDSHAKE_BYTES + ")"));
        }
        ByteBuf copy = kept;
        if (copy == null) {
            copy = connection.allocator().buffer(size, MAX_HANDSHAKE_BYTES);
            kept = copy;
        }
        copy.writeBytes(bytes);
    }

    private void receive(ByteBuf records, TlsSession from) {
        ByteBuf plain = connection.allocator().ioBuffer(records.readableBytes());
        try {
            decrypt(records, plain, from);
            recordReceived = true;
            if (from.isHandshakeDone() && !authenticated && !authenticating) {
                authenticate(from);
            }
            if (plain.isReadable() && !authenticated) {
                keep(plain);
            } else {
                read(plain);
            }
        } finally {
            plain.release();
        }
    }

    private void decrypt(ByteBuf records, ByteBuf plain, TlsSession from) {
        ByteBuf out = unused == null ? frames.sealed(0) : unused;
        unused = null;
        int start = out.readableBytes();
        SSLException failure = null;
        try {
            from.open(records, plain, out, open ? PROBE : null);
        } catch (SSLException e) {
            failure = e;
            writeAlert(from, out);
            sealed.end(); // the session can write no more
        } catch (RuntimeException | Error e) {
            out.release();
            throw e;
        }
        if (out.readableBytes() > start) {
            respond(out);
        } else {
            unused = out;
        }
        if (failure != null) {
            throw fault(failure);
        }
    }

    /** Writes records that those of the remote peer have caused, such as an update of the key. Takes ownership of them. */
    private void respond(ByteBuf records) {
        int bytes = records.capacity();
        pendingBytes += bytes;
        connection.write(records, failure -> pendingBytes -= bytes);
        connection.flush();
        if (pendingBytes > MAX_PENDING_BYTES) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(describe("pending TLS records: " + pendingBytes
                    + " bytes (expected: <= " + MAX_PENDING_BYTES + "); the peer does not read them"));
        }
    }

    private static void writeAlert(TlsSession from, ByteBuf out) {
        try {
            from.writeHandshake(out);
        } catch (SSLException e) {
            // the reason of the link's end has more details
        }
    }

    private void authenticate(TlsSession from) {
        authenticating = true;
        SSLSession completed = from.session();
        Clock clock = context.scheduler().clock();
        PeerId known = PeerCertificateVerifier.authenticateKnown(completed, clock);
        if (known != null) {
            onAuthenticated(known, from);
            return;
        }
        run(() -> PeerCertificateVerifier.authenticate(completed, clock), (peer, failure) -> {
            if (closed) {
                return;
            }
            if (peer == null) {
                throw failure(failure, ErrorCode.IDENTITY_REFUSED);
            }
            onAuthenticated(peer, from);
            ByteBuf early = kept;
            kept = null;
            if (early != null) {
                try {
                    read(early);
                } finally {
                    early.release();
                }
            }
        });
    }

    private void onAuthenticated(PeerId peer, TlsSession from) {
        if (!peer.equals(link.peer())) {
            throw ErrorCode.IDENTITY_REFUSED.exception(
                    describe("certificate of peer " + peer + " (expected: " + link.peer() + ")"));
        }
        authenticated = true;
        sealed.open(from);
        sealed.write(frames.hello(local), null);
        sealed.flush();
    }

    /** Reads whole frames, each with its length. */
    private void read(ByteBuf plain) {
        while (plain.isReadable() && !closed) {
            long length = plain.readableBytes() < SealedConnection.LENGTH_BYTES ? -1 : plain.readUnsignedInt();
            if (length < 0 || length > plain.readableBytes()) {
                throw ErrorCode.PROTOCOL_VIOLATION.exception(
                        describe("frame inside TLS: incomplete (expected: whole frames in each SEALED frame)"));
            }
            FrameReader.read(plain.readSlice((int) length), open ? link.tunnelFrames() : this);
        }
    }

    /** The frame by which the remote peer confirms what it has sent before TLS. */
    @Override
    public void onHello(Hello confirmed) {
        if (open) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception("unexpected HELLO frame inside TLS");
        }
        if (!confirmed.equals(link.remote())) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    describe("the HELLO of the connection was changed on the way"));
        }
        open = true;
        cancelTimer();
        link.onTunnelOpened();
    }

    @Override
    public void onPing(long number) {
        link.respondInTunnel(frames.pong(number));
    }

    @Override
    public void onPong(long number) {
        // the record was noted
    }

    /** Called at each keep-alive interval. Ends the link if no records arrive, although other frames may. */
    public void checkAlive() {
        if (!open) {
            return;
        }
        if (recordReceived) {
            recordReceived = false;
            silentIntervals = 0;
        } else if (++silentIntervals >= MAX_SILENT_INTERVALS) {
            link.abort(ErrorCode.TIMEOUT.exception(describe("no TLS record received within "
                    + context.limits().keepAliveInterval().multipliedBy(MAX_SILENT_INTERVALS))));
        } else {
            sealed.write(frames.ping(0), null);
            sealed.flush();
        }
    }

    /** Called at the end of a read. */
    public void onReadComplete() {
        sealed.onReadComplete();
    }

    /** Seals all frames that were written. */
    public void flushNow() {
        sealed.flushNow();
    }

    /** Ends the link. Messages fail with the cause when it is closed. */
    private void fail(ParleyException cause) {
        link.endTunnel(cause);
    }

    /** Releases everything but the channels. Called when the link is closed. */
    public void close() {
        closed = true;
        cancelTimer();
        sealed.end();
        if (session != null) {
            session.release();
            session = null;
        }
        if (kept != null) {
            kept.release();
            kept = null;
        }
        if (unused != null) {
            unused.release();
            unused = null;
        }
        if (reserved) {
            reserved = false;
            link.memory().release(SESSION_BYTES);
        }
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
        }
    }

    private ParleyException failure(@Nullable Throwable thrown, ErrorCode otherwise) {
        return Throwables.toParleyException(
                thrown == null ? new IllegalStateException("no result") : thrown, otherwise);
    }

    private ParleyException fault(SSLException thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException) {
                return ErrorCode.IDENTITY_REFUSED.exception(describe(String.valueOf(cause.getMessage())), thrown);
            }
        }
        return open
                ? ErrorCode.PROTOCOL_VIOLATION.exception(
                        describe("a TLS record was changed, repeated, left out or moved on the way: "
                                + thrown.getMessage()),
                        thrown)
                : ErrorCode.IDENTITY_REFUSED.exception(describe("TLS handshake: " + thrown.getMessage()), thrown);
    }

    private String describe(String text) {
        return "secure channels of the " + link + ": " + text;
    }
}
