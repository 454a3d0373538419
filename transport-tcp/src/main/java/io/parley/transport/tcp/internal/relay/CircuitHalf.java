package io.parley.transport.tcp.internal.relay;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.timeout.IdleStateHandler;
import io.parley.common.internal.HostPrefix;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** One of the two connections of a circuit, from its request on. Thread-safe. */
final class CircuitHalf {

    /** The queued bytes above which the other connection is not read. The memory of a circuit is twice that, and a read of each connection. */
    static final int MAX_QUEUED_BYTES = 64 * 1024;

    private static final WriteBufferWaterMark WATER_MARKS =
            new WriteBufferWaterMark(MAX_QUEUED_BYTES / 2, MAX_QUEUED_BYTES);

    private final RelayRequestHandler handler;
    private final ChannelHandlerContext context;
    private final InetSocketAddress remote;

    CircuitHalf(RelayRequestHandler handler, ChannelHandlerContext context, InetSocketAddress remote) {
        this.handler = handler;
        this.context = context;
        this.remote = remote;
    }

    InetSocketAddress remote() {
        return remote;
    }

    /** Returns the prefix of the address of the remote peer, which limits count. */
    String host() {
        return HostPrefix.of(remote.getAddress().getHostAddress());
    }

    private Channel channel() {
        return context.channel();
    }

    /** Runs a task when the connection is closed. */
    void whenClosed(Runnable task) {
        channel().closeFuture().addListener(closed -> task.run());
    }

    /** Responds with the reason, and closes. */
    void refuse(ParleyException reason) {
        execute(() -> handler.refuse(context, reason));
    }

    /**
     * Joins this connection, that of the dialer, with that of the peer which accepts. Each gets its response before the bytes of the other one, and
     * is read before it can have sent more than its request, so that its last bytes are passed on if it closes at once. Either may have
     * closed meanwhile, or close in between; then the other one is refused or closed.
     */
    void join(CircuitHalf acceptor, Duration idleTimeout) {
        boolean begun = acceptor.execute(() -> {
            if (!acceptor.channel().isActive()) {
                refuse(acceptorGone());
                return;
            }
            acceptor.addHandlers(this, idleTimeout); // which note also that it is writable again, or closed
            if (!executeAfter(acceptor, () -> open(acceptor, idleTimeout))) {
                acceptor.channel().close();
            }
        });
        if (!begun) {
            refuse(acceptorGone());
        }
    }

    private static ParleyException acceptorGone() {
        return ErrorCode.UNREACHABLE.exception("the peer has closed the connection by which it accepted");
    }

    private void open(CircuitHalf acceptor, Duration idleTimeout) {
        if (!channel().isActive()) {
            acceptor.channel().close();
            return;
        }
        addHandlers(acceptor, idleTimeout);
        respond();
        acceptor.executeAfter(
                this,
                () -> { // before the first bytes of the dialer, which also come as a task
                    acceptor.respond();
                    acceptor.begin();
                    if (!acceptor.channel().isActive()) {
                        channel().close();
                    }
                });
        begin();
    }

    private void respond() {
        context.writeAndFlush(RelayResponse.OK.write(context.alloc()));
    }

    private void addHandlers(CircuitHalf other, Duration idleTimeout) {
        channel().config().setWriteBufferWaterMark(WATER_MARKS);
        channel()
                .pipeline()
                .addLast(new IdleStateHandler(0, 0, idleTimeout.toMillis(), TimeUnit.MILLISECONDS))
                .addLast(new CircuitHandler(other.channel()));
    }

    private void begin() {
        handler.onJoined(context);
        channel().config().setAutoRead(true);
    }

    /** Runs a task on the event loop, after what that of another half does now. With one event loop for both, nothing is read in between. */
    private boolean executeAfter(CircuitHalf other, Runnable task) {
        if (channel().eventLoop() == other.channel().eventLoop()) {
            task.run();
            return true;
        }
        return execute(task);
    }

    /** Returns false if the event loop has ended, and the connection before it. */
    private boolean execute(Runnable task) {
        try {
            channel().eventLoop().execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }
}
