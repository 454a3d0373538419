package io.parley.sockets;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PipeId;
import io.parley.pipes.BidirectionalPipes;
import io.parley.pipes.PipeAcceptor;
import io.parley.pipes.PipeLimits;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The implementation of a {@link PeerServerSocket}. Thread-safe. */
final class PeerServerSocketImpl extends SocketImpl {

    /**
     * Refusals that are not delivered. A request is decided at once, so these bound bursts of connects: those beyond get no response, and
     * wait for their timeout.
     */
    private static final int MAX_PENDING = 4096;

    private static final int MAX_PENDING_PER_PEER = 1024;

    private final SocketContext sockets;
    private final @Nullable PipeId unpublished;
    private final KeptSocketOptions options;

    /** Guards the fields below. Never held while a thread waits. */
    private final Object state = new Object();

    private @Nullable String service;
    private @Nullable PipeAcceptor acceptor;
    private @Nullable AcceptQueue queue;
    private volatile boolean closed;

    /** Identifies this server socket in the registry. */
    private final Runnable closer = this::close;

    /** @param unpublished the pipe of the service; {@code null} for the one of its name, which is published */
    PeerServerSocketImpl(SocketContext sockets, @Nullable PipeId unpublished) {
        this.sockets = sockets;
        this.unpublished = unpublished;
        this.options = KeptSocketOptions.ofServer(sockets.limits().bufferBytes());
    }

    @Override
    protected void create(boolean isStream) {}

    /**
     * Sets the service, before the JDK's class binds this one. That class lets concurrent binds through, so this method permits one.
     *
     * @throws SocketException if there is a service already
     */
    void setService(String value) throws SocketException {
        synchronized (state) {
            if (service != null) {
                throw new SocketException("Already bound");
            }
            service = value;
        }
    }

    /** Permits another bind, after one has failed. */
    void clearService() {
        synchronized (state) {
            service = null;
        }
    }

    private String service() {
        synchronized (state) {
            if (service == null) {
                throw new IllegalStateException("no service");
            }
            return service;
        }
    }

    @Override
    protected void bind(InetAddress host, int port) {
        address = SocketAddresses.of(sockets.group().endpoint().peerId(), service());
        localport = SocketAddresses.portOr(port);
    }

    @Override
    protected void listen(int backlog) throws SocketException {
        String name = service();
        SocketLimits limits = sockets.limits();
        AcceptQueue waiting = new AcceptQueue(sockets, name, Math.min(backlog, SocketLimits.MAX_BACKLOG));
        BidirectionalPipes pipes = sockets.bidirectional()
                .withLimits(new PipeLimits(
                        PeerSocketRegistry.maxInbound(limits.maxSockets()),
                        limits.maxSocketsPerPeer(),
                        MAX_PENDING,
                        MAX_PENDING_PER_PEER,
                        PipeLimits.DEFAULTS.acceptTimeout()));
        PipeAcceptor opened;
        try {
            // On the event loop, because a request is accepted at once and without waiting.
            opened = unpublished == null
                    ? pipes.accept(StreamFormat.pipeName(name), waiting::onRequest, Runnable::run)
                    : pipes.accept(unpublished, waiting::onRequest, Runnable::run);
        } catch (ParleyException e) {
            throw cannotBind(name, e);
        }
        synchronized (state) {
            queue = waiting;
            acceptor = opened;
        }
        sockets.registry().addServer(closer);
        if (closed) { // meanwhile
            close();
            throw SocketFailures.closed();
        }
    }

    private static SocketException cannotBind(String name, ParleyException reason) {
        String words = reason.code() == ErrorCode.ALREADY_BOUND ? "Address already in use" : "Cannot bind";
        SocketException failure =
                new BindException(words + ": socket service \"" + name + "\": " + reason.getMessage());
        failure.initCause(reason);
        return failure;
    }

    PipeAcceptor acceptor() throws SocketException {
        synchronized (state) {
            if (closed || acceptor == null) {
                throw new SocketException(closed ? "Socket is closed" : "Socket is not bound yet");
            }
            return acceptor;
        }
    }

    @Override
    protected void accept(SocketImpl accepted) throws IOException {
        AcceptQueue waiting;
        synchronized (state) {
            waiting = queue;
        }
        if (closed || waiting == null) {
            throw SocketFailures.closed();
        }
        PeerStream stream = waiting.accept(options.timeout());
        ((PeerSocketImpl) accepted).accepted(stream, address, localport);
    }

    @Override
    protected void close() {
        PipeAcceptor opened;
        AcceptQueue waiting;
        synchronized (state) {
            closed = true;
            opened = acceptor;
            waiting = queue;
        }
        if (opened != null) {
            opened.closeAsync();
        }
        if (waiting != null) {
            waiting.close();
        }
        sockets.registry().removeServer(closer);
    }

    /** Returns whether this socket is closed, also without a call of the JDK's class. */
    boolean isClosed() {
        return closed;
    }

    @Override
    public void setOption(int option, Object value) throws SocketException {
        requireOpen();
        options.set(option, value);
    }

    @Override
    public Object getOption(int option) throws SocketException {
        requireOpen();
        return option == SocketOptions.SO_BINDADDR ? address : options.get(option);
    }

    @Override
    protected Set<SocketOption<?>> supportedOptions() {
        return options.supported();
    }

    @Override
    protected <T> void setOption(SocketOption<T> name, T value) throws IOException {
        setOption(options.number(name), value);
    }

    @Override
    protected <T> T getOption(SocketOption<T> name) throws IOException {
        return name.type().cast(getOption(options.number(name)));
    }

    private void requireOpen() throws SocketException {
        if (closed) {
            throw SocketFailures.closed();
        }
    }

    @Override
    protected void connect(String host, int remotePort) throws SocketException {
        throw notAStream();
    }

    @Override
    protected void connect(InetAddress host, int remotePort) throws SocketException {
        throw notAStream();
    }

    @Override
    protected void connect(SocketAddress remote, int timeoutMillis) throws SocketException {
        throw notAStream();
    }

    @Override
    protected InputStream getInputStream() throws SocketException {
        throw notAStream();
    }

    @Override
    protected OutputStream getOutputStream() throws SocketException {
        throw notAStream();
    }

    @Override
    protected int available() throws SocketException {
        throw notAStream();
    }

    @Override
    protected void sendUrgentData(int data) throws SocketException {
        throw notAStream();
    }

    private static SocketException notAStream() {
        return new SocketException("a server socket has no stream");
    }
}
