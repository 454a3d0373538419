package io.parley.sockets;

import io.parley.common.Scheduler;
import io.parley.common.internal.Backoff;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.pipes.BidirectionalPipe;
import io.parley.pipes.BidirectionalPipes;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of a connected or connecting {@link PeerSocket}. The JDK's class checks the states that callers can see; this one
 * has the stream. Thread-safe.
 */
final class PeerSocketImpl extends SocketImpl {

    /** The pauses between the attempts to connect to an acceptor that was busy or not found. */
    private static final Duration FIRST_RETRY = Duration.ofMillis(10);

    private static final Duration MAX_RETRY = Duration.ofSeconds(1);

    private final SocketContext sockets;
    private final KeptSocketOptions options;

    /** Guards the fields below. Never held while a thread waits. */
    private final Object state = new Object();

    private @Nullable PeerStream stream;

    /** Whether a thread connects. */
    private boolean connecting;

    /** The wait of a thread that connects. */
    private @Nullable SocketWait connectWait;

    private @Nullable InetAddress localAddress;

    /** The target of the next connect, instead of its address. */
    private @Nullable SocketTarget nextTarget;

    private Duration nextTimeout = Duration.ZERO;
    private volatile boolean closed;

    PeerSocketImpl(SocketContext sockets) {
        this.sockets = sockets;
        this.options = KeptSocketOptions.ofStream(sockets.limits().bufferBytes());
    }

    @Override
    protected void create(boolean isStream) throws SocketException {
        if (!isStream) {
            throw new SocketException("datagram sockets: not supported (expected: a stream socket)");
        }
    }

    @Override
    protected void bind(InetAddress host, int port) {
        localport = port == 0 ? SocketAddresses.nextEphemeralPort() : port;
    }

    @Override
    protected void connect(String host, int remotePort) throws IOException {
        connect(InetSocketAddress.createUnresolved(host, remotePort), 0);
    }

    @Override
    protected void connect(InetAddress host, int remotePort) throws IOException {
        connect(new InetSocketAddress(host, remotePort), 0);
    }

    void setNextTarget(SocketTarget target, Duration timeout) {
        synchronized (state) {
            nextTarget = target;
            nextTimeout = timeout;
        }
    }

    @Override
    protected void connect(SocketAddress remote, int timeoutMillis) throws IOException {
        SocketTarget target;
        Duration targetTimeout;
        synchronized (state) {
            target = nextTarget;
            targetTimeout = nextTimeout;
        }
        if (target != null) {
            connect(target, SocketAddresses.DEFAULT_PORT, targetTimeout);
            return;
        }
        ServiceHost host;
        try {
            host = SocketAddresses.parse(remote);
        } catch (IOException e) {
            close();
            throw e;
        }
        connect(
                SocketTarget.of(sockets.group(), host),
                ((InetSocketAddress) remote).getPort(),
                timeoutMillis == 0 ? sockets.limits().connectTimeout() : Duration.ofMillis(timeoutMillis));
    }

    private void connect(SocketTarget target, int remotePort, Duration timeout) throws IOException {
        beginConnect();
        try {
            PeerStream opened = openStream(target, timeout);
            setConnected(SocketAddresses.of(opened.remotePeer(), target.service()), remotePort);
            synchronized (state) {
                stream = opened;
            }
            if (closed) { // meanwhile
                opened.close();
                throw SocketFailures.closed();
            }
        } finally {
            synchronized (state) {
                connecting = false;
            }
        }
    }

    /** Requires that no other thread connects or has connected this socket. */
    private void beginConnect() throws SocketException {
        synchronized (state) {
            if (connecting) {
                throw new SocketException("Connection in progress");
            }
            if (stream != null) {
                throw new SocketException("Already connected");
            }
            connecting = true;
        }
    }

    /**
     * Opens a stream, and closes this socket if that fails. Until the timeout, repeats what a busy acceptor refuses, as TCP repeats a SYN,
     * and an attempt whose search has not found the peer, because a peer that has just started is not yet found everywhere.
     */
    private PeerStream openStream(SocketTarget target, Duration timeout) throws IOException {
        PeerStream opened = null;
        try {
            requireAddress(target.service()); // nothing may fail once a stream is open
            Scheduler clock = Scheduler.system();
            long deadline = clock.nanoTime() + timeout.toNanos();
            Backoff backoff = new Backoff(sockets.group().scheduler().random(), FIRST_RETRY, MAX_RETRY);
            SocketException last = null;
            while (opened == null) {
                long left = deadline - clock.nanoTime();
                try {
                    opened = tryConnect(target, Duration.ofNanos(Math.max(1, left)));
                } catch (SocketTimeoutException e) {
                    throw last == null ? e : last; // the last attempt was too short for a response
                } catch (ConnectException | NoRouteToHostException e) {
                    last = e;
                    pauseBeforeRetry(target, e, backoff.nextNanos(), left);
                }
            }
            return opened;
        } finally {
            if (opened == null) {
                close();
            }
        }
    }

    /** Requires that a service has a host name at each peer, because the socket shows it. */
    private void requireAddress(String service) throws UnknownHostException {
        try {
            SocketAddresses.of(sockets.group().endpoint().peerId(), service); // all peer ids have one length
        } catch (IllegalArgumentException e) {
            UnknownHostException unknown = new UnknownHostException(e.getMessage());
            unknown.initCause(e);
            throw unknown;
        }
    }

    /** Pauses before another attempt, if that may succeed and there is time for it. */
    private void pauseBeforeRetry(SocketTarget target, SocketException failure, long pauseNanos, long leftNanos)
            throws IOException {
        boolean mayBeFound = failure instanceof NoRouteToHostException && !target.hasAddress();
        if (pauseNanos >= leftNanos || !(mayBeFound || SocketFailures.isBusy(failure))) {
            throw failure;
        }
        await(() -> closed, null, Duration.ofNanos(pauseNanos));
    }

    private PeerStream tryConnect(SocketTarget target, Duration timeout) throws IOException {
        PeerStream opening = new PeerStream(sockets.group(), target.service(), sockets.limits());
        boolean connected = false;
        try {
            if (!sockets.registry().tryAdd(opening, sockets.limits().maxSockets())) {
                throw PeerSocketRegistry.tooMany(sockets.limits().maxSockets());
            }
            attach(opening, open(target, opening, timeout));
            connected = true;
            return opening;
        } finally {
            if (!connected) {
                opening.discard();
            }
        }
    }

    /** Attaches an open pipe to its stream. Aborts the pipe if that fails, because it has no other owner. */
    void attach(PeerStream opening, BidirectionalPipe pipe) {
        boolean attached = false;
        try {
            opening.limitMessages(StreamFormat.maxSentBytes(sockets.messageLimits(), pipe.hello()));
            opening.attach(pipe);
            attached = true;
        } finally {
            if (!attached) {
                pipe.abort();
            }
        }
    }

    /** Waits as {@link SocketWait#await} does. The close of this socket ends the wait. */
    private boolean await(BooleanSupplier condition, @Nullable CompletableFuture<?> event, Duration timeout)
            throws InterruptedIOException {
        SocketWait wait = new SocketWait(condition);
        synchronized (state) {
            connectWait = wait;
        }
        if (event != null) {
            event.whenComplete((result, failure) -> wait.signal());
        }
        try {
            return wait.await(SocketDeadline.after(timeout));
        } finally {
            synchronized (state) {
                connectWait = null;
            }
        }
    }

    private BidirectionalPipe open(SocketTarget target, PeerStream opening, Duration timeout) throws IOException {
        BidirectionalPipes pipes = sockets.bidirectional().withListener(opening);
        CompletableFuture<BidirectionalPipe> connecting;
        try {
            connecting = target.connect(sockets.group(), pipes, timeout);
        } catch (ParleyException e) {
            throw SocketFailures.ofConnect(target, target.peer() != null, e);
        }
        CompletableFuture<Void> closing = opening.whenClosing(); // also if the group closes
        if (!awaitPipe(connecting, () -> closed || closing.isDone(), closing, timeout)) {
            throw new SocketTimeoutException("Connect timed out: " + target + ": the request was not accepted within "
                    + DurationFormatter.format(timeout));
        }
        try {
            return connecting.join();
        } catch (RuntimeException e) {
            throw SocketFailures.ofConnect(
                    target, target.peer() != null, Throwables.toParleyException(e, ErrorCode.UNREACHABLE));
        }
    }

    /**
     * Waits for a pipe. One that the caller does not get is aborted.
     *
     * @param ended   whether this socket or its group is closed
     * @param closing completes when the group closes
     * @return false after the timeout
     */
    boolean awaitPipe(
            CompletableFuture<BidirectionalPipe> connecting,
            BooleanSupplier ended,
            CompletableFuture<Void> closing,
            Duration timeout)
            throws IOException {
        boolean inTime = false;
        boolean isEnded = true;
        try {
            inTime = await(
                    () -> connecting.isDone() || ended.getAsBoolean(),
                    CompletableFuture.anyOf(connecting, closing),
                    timeout);
            isEnded = ended.getAsBoolean(); // once: a later close is up to the caller, who gets the pipe
        } finally {
            if (!inTime || isEnded) {
                cancel(connecting);
            }
        }
        if (isEnded) {
            throw SocketFailures.closed();
        }
        return inTime;
    }

    private static void cancel(CompletableFuture<BidirectionalPipe> connecting) {
        if (!connecting.cancel(false)) {
            connecting.whenComplete((opened, failure) -> {
                if (opened != null) {
                    opened.abort();
                }
            });
        }
    }

    private void setConnected(InetAddress remote, int remotePort) {
        PeerId self = sockets.group().endpoint().peerId();
        address = remote;
        port = SocketAddresses.portOr(remotePort);
        if (localport == 0) {
            localport = SocketAddresses.nextEphemeralPort();
        }
        synchronized (state) {
            localAddress = SocketAddresses.of(self);
        }
    }

    /** Takes a stream that a server socket has accepted. */
    void accepted(PeerStream accepted, InetAddress local, int ownPort) {
        setConnected(SocketAddresses.of(accepted.remotePeer()), SocketAddresses.nextEphemeralPort());
        localport = ownPort;
        synchronized (state) {
            localAddress = local;
            stream = accepted;
        }
    }

    @Override
    protected void listen(int backlog) throws SocketException {
        throw new SocketException("not a server socket");
    }

    @Override
    protected void accept(SocketImpl accepted) throws SocketException {
        throw new SocketException("not a server socket");
    }

    PeerStream stream() throws SocketException {
        if (closed) {
            throw SocketFailures.closed();
        }
        synchronized (state) {
            if (stream == null) {
                throw new SocketException("Socket is not connected");
            }
            return stream;
        }
    }

    /** Returns whether this socket had a stream, which has begun to close, also without a call of the JDK's class. */
    boolean hasClosedStream() {
        synchronized (state) {
            return stream != null && stream.isClosing();
        }
    }

    Duration readTimeout() {
        return options.timeout();
    }

    @Override
    protected InputStream getInputStream() throws IOException {
        PeerStream connected = stream();
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] single = new byte[1];
                return read(single, 0, 1) < 0 ? -1 : single[0] & 0xff;
            }

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                return connected.read(ByteBuffer.wrap(target, offset, length), options.timeout());
            }

            @Override
            public int available() throws IOException {
                return connected.available();
            }

            @Override
            public void close() throws IOException {
                PeerSocketImpl.this.close();
            }
        };
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
        PeerStream connected = stream();
        return new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] source, int offset, int length) throws IOException {
                connected.write(ByteBuffer.wrap(source, offset, length));
            }

            @Override
            public void close() throws IOException {
                PeerSocketImpl.this.close();
            }
        };
    }

    @Override
    protected int available() throws IOException {
        return stream().available();
    }

    @Override
    protected void shutdownInput() throws IOException {
        stream().shutDownInput();
    }

    @Override
    protected void shutdownOutput() throws IOException {
        stream().shutDownOutput();
    }

    @Override
    protected boolean supportsUrgentData() {
        return false;
    }

    @Override
    protected void sendUrgentData(int data) throws SocketException {
        throw new SocketException("urgent data: not supported by a stream between peers");
    }

    /** Does not wait, because the JDK's class calls this with its monitors. See {@link #linger}. */
    @Override
    protected void close() {
        PeerStream connected;
        SocketWait waiting;
        synchronized (state) {
            closed = true;
            connected = stream;
            waiting = connectWait;
        }
        if (waiting != null) {
            waiting.signal();
        }
        if (connected != null) {
            connected.close(options.lingerSeconds());
        }
    }

    /** Waits after the close for the linger time, if there is one. */
    void linger() {
        PeerStream connected;
        synchronized (state) {
            connected = stream;
        }
        int seconds = options.lingerSeconds();
        if (connected != null && seconds > 0) {
            connected.linger(Duration.ofSeconds(seconds));
        }
    }

    @Override
    public void setOption(int option, Object value) throws SocketException {
        requireOpen();
        options.set(option, value);
    }

    @Override
    public Object getOption(int option) throws SocketException {
        requireOpen();
        if (option == SocketOptions.SO_BINDADDR) {
            synchronized (state) {
                return localAddress != null
                        ? localAddress
                        : SocketAddresses.of(sockets.group().endpoint().peerId());
            }
        }
        return options.get(option);
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
}
