package io.parley.transport.relay;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.timeout.IdleStateHandler;
import io.parley.common.internal.HostPrefix;
import io.parley.error.ParleyException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** One of the two connections of a circuit, from its request on. Thread-safe. */
final class CircuitHalf {

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
     * Joins this connection, that of the dialer, with that of the peer which accepts. Each gets its response before the bytes of the other one.
     */
    void join(CircuitHalf acceptor, Duration idleTimeout) {
        acceptor.execute(() -> {
            acceptor.respond();
            execute(() -> {
                respond();
                open(acceptor, idleTimeout);
                acceptor.execute(() -> acceptor.open(this, idleTimeout));
            });
        });
    }

    private void respond() {
        context.writeAndFlush(RelayResponse.OK.write(context.alloc()));
    }

    private void open(CircuitHalf other, Duration idleTimeout) {
        channel()
                .pipeline()
                .addLast(new IdleStateHandler(0, 0, idleTimeout.toMillis(), TimeUnit.MILLISECONDS))
                .addLast(new CircuitHandler(other.channel()));
        handler.onJoined(context);
        channel().config().setAutoRead(true);
        if (!channel().isActive()) { // closed before the handler could see it
            other.channel().close();
        }
    }

    private void execute(Runnable task) {
        try {
            channel().eventLoop().execute(task);
        } catch (RejectedExecutionException e) {
            // the event loop has ended, and the connection before it
        }
    }
}
