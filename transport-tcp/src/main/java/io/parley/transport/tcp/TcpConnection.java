package io.parley.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderException;
import io.netty.util.concurrent.EventExecutor;
import io.parley.endpoint.Connection;
import io.parley.endpoint.ConnectionListener;
import io.parley.endpoint.EndpointAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A channel whose other side has proven itself, as the endpoint sees it. */
final class TcpConnection implements Connection {

    private final Channel channel;
    private final EndpointAddress remoteAddress;
    private final boolean dialer;
    private final @Nullable PeerId provenPeer;
    private final Duration closeTimeout;
    private final Runnable onAdmitted;
    private final FrameDecoder decoder = new FrameDecoder(this);
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private @Nullable ConnectionListener listener;
    private @Nullable Throwable cause;
    private boolean inactive;
    private boolean toldClosed;

    /** @param onAdmitted called when the peers have agreed to talk */
    TcpConnection(
            Channel channel,
            EndpointAddress remoteAddress,
            boolean dialer,
            @Nullable PeerId provenPeer,
            Duration closeTimeout,
            Runnable onAdmitted) {
        this.channel = channel;
        this.remoteAddress = remoteAddress;
        this.dialer = dialer;
        this.provenPeer = provenPeer;
        this.closeTimeout = closeTimeout;
        this.onAdmitted = onAdmitted;
    }

    /** Takes its place at the end of the pipeline. On the event loop. */
    void install() {
        channel.config().setAutoRead(false);
        channel.pipeline().addLast(decoder);
        channel.closeFuture().addListener(future -> onInactive());
    }

    @Override
    public EndpointAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public boolean isDialer() {
        return dialer;
    }

    @Override
    public @Nullable PeerId provenPeer() {
        return provenPeer;
    }

    @Override
    public EventExecutor executor() {
        return channel.eventLoop();
    }

    @Override
    public ByteBufAllocator allocator() {
        return channel.alloc();
    }

    @Override
    public void start(ConnectionListener toCall) {
        run(() -> {
            listener = toCall;
            if (inactive) {
                tellClosed();
            } else {
                setReading(true);
            }
        });
    }

    @Override
    public void write(ByteBuf frame, @Nullable WriteListener done) {
        ByteBuf framed = frame;
        int length = frame.readableBytes();
        if (frame.readerIndex() >= FrameDecoder.LENGTH_BYTES && frame.nioBufferCount() == 1) {
            int start = frame.readerIndex() - FrameDecoder.LENGTH_BYTES;
            frame.setInt(start, length).readerIndex(start);
        } else {
            channel.write(allocator().ioBuffer(FrameDecoder.LENGTH_BYTES).writeInt(length), channel.voidPromise());
        }
        if (done == null) {
            channel.write(framed, channel.voidPromise());
        } else {
            channel.write(framed).addListener(future -> done.onWritten(asFailure(future.cause())));
        }
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    public void setReading(boolean reading) {
        ChannelHandlerContext context = channel.pipeline().context(decoder);
        if (context == null) {
            return; // the channel is gone
        }
        try {
            decoder.setDelivering(reading, context);
        } catch (Exception e) {
            onException(e);
        }
    }

    @Override
    public void admit(int maxFrameBytes) {
        decoder.setMaxFrameBytes(maxFrameBytes);
        onAdmitted.run();
    }

    @Override
    public void close() {
        run(() -> {
            ChannelFuture flushed = channel.writeAndFlush(Unpooled.EMPTY_BUFFER);
            flushed.addListener(future -> channel.close());
            if (!flushed.isDone()) {
                channel.eventLoop().schedule(() -> abort(null), closeTimeout.toNanos(), TimeUnit.NANOSECONDS);
            }
        });
    }

    @Override
    public void abort(@Nullable Throwable reason) {
        run(() -> {
            if (cause == null) {
                cause = reason;
            }
            // From the head of the pipeline, so that TLS does not wait for the other side.
            ChannelHandlerContext head = channel.pipeline().firstContext();
            if (head != null) {
                head.close();
            } else {
                channel.close();
            }
        });
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed;
    }

    private void run(Runnable task) {
        if (channel.eventLoop().inEventLoop()) {
            task.run();
            return;
        }
        try {
            channel.eventLoop().execute(task);
        } catch (RejectedExecutionException e) {
            closed.complete(null); // the loop has ended, and the channel before it
        }
    }

    void onFrame(ByteBuf frame) {
        ConnectionListener target = listener;
        if (target != null && cause == null) {
            target.onFrame(frame);
        }
    }

    void onWritabilityChanged() {
        if (listener != null && channel.isWritable()) {
            listener.onWritable();
        }
    }

    void onException(Throwable thrown) {
        Throwable reason = thrown instanceof DecoderException && thrown.getCause() != null ? thrown.getCause() : thrown;
        abort(asFailure(reason));
    }

    void onInactive() {
        inactive = true;
        tellClosed();
    }

    private void tellClosed() {
        if (!toldClosed && listener != null) {
            toldClosed = true;
            listener.onClosed(cause);
        }
        closed.complete(null);
    }

    private @Nullable Throwable asFailure(@Nullable Throwable thrown) {
        if (thrown == null || thrown instanceof ParleyException || thrown instanceof RuntimeException) {
            return thrown;
        }
        return ErrorCode.CLOSED.exception(
                "connection to " + remoteAddress + " was lost: " + thrown.getMessage(), thrown);
    }
}
