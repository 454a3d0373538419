package io.parley.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.EventExecutor;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointAddress;
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
    private final WriteCompletionQueue writes = new WriteCompletionQueue(this::asFailure);
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private @Nullable ConnectionListener listener;
    private @Nullable Throwable cause;
    private boolean ending;
    private boolean aborted;
    private boolean endedByTls;
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
    public @Nullable PeerId authenticatedPeer() {
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
                decoder.deliverRest();
                tellClosed();
            } else {
                setReading(true);
            }
        });
    }

    @Override
    public void write(ByteBuf frame, @Nullable WriteListener done) {
        if (ending || inactive) {
            frame.release();
            if (done != null) {
                done.onWritten(ErrorCode.DISCONNECTED.exception("connection to " + remoteAddress + " is closed"));
            }
            return;
        }
        int length = frame.readableBytes();
        if (hasHeadroom(frame)) {
            int start = frame.readerIndex() - FrameDecoder.LENGTH_BYTES;
            frame.setInt(start, length).readerIndex(start);
        } else {
            channel.write(allocator().ioBuffer(FrameDecoder.LENGTH_BYTES).writeInt(length), channel.voidPromise());
        }
        if (done == null) {
            channel.write(frame, channel.voidPromise());
        } else {
            ChannelPromise promise = channel.newPromise();
            writes.add(promise, done);
            channel.write(frame, promise);
        }
    }

    private static boolean hasHeadroom(ByteBuf frame) {
        int headroom = frame.readerIndex();
        if (headroom < FrameDecoder.LENGTH_BYTES || frame.isReadOnly()) {
            return false;
        }
        if (frame
                instanceof
                CompositeByteBuf parts) { // which says of itself that it can be written to, whatever they are
            ByteBuf first = parts.component(0);
            return first.readableBytes() >= headroom && !first.isReadOnly();
        }
        return frame.nioBufferCount() == 1;
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
        } catch (Throwable e) {
            onException(e);
        }
    }

    @Override
    public void completeHandshake(int maxFrameBytes) {
        decoder.setMaxFrameBytes(maxFrameBytes);
        onAdmitted.run();
    }

    @Override
    public void close() {
        run(() -> {
            if (ending) {
                return;
            }
            ending = true;
            ChannelFuture flushed = channel.writeAndFlush(Unpooled.EMPTY_BUFFER);
            flushed.addListener(future -> channel.close());
            if (!flushed.isDone()) {
                channel.eventLoop().schedule(this::giveUpClosing, closeTimeout.toNanos(), TimeUnit.NANOSECONDS);
            }
        });
    }

    private void giveUpClosing() {
        if (!inactive) {
            abort(ErrorCode.TIMEOUT.exception("connection to " + remoteAddress + " was closed, but in " + closeTimeout
                    + " the other side did not take what had been written before"));
        }
    }

    @Override
    public void abort(@Nullable Throwable reason) {
        run(() -> {
            if (cause == null) {
                cause = reason;
            }
            ending = true;
            aborted = true;
            closeAtOnce(channel);
        });
    }

    /** Closes from the head of the pipeline, so that TLS does not wait for the other side. From any thread. */
    static void closeAtOnce(Channel channel) {
        ChannelHandlerContext head = channel.pipeline().firstContext();
        if (head != null) {
            head.close();
        } else {
            channel.close();
        }
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

    boolean isStarted() {
        return listener != null;
    }

    void onFrame(ByteBuf frame) {
        ConnectionListener target = listener;
        if (target != null && !ending) {
            target.onFrame(frame);
        }
    }

    void onWritabilityChanged() {
        if (channel.isWritable()) {
            channel.eventLoop()
                    .execute(
                            this::tellWritable); // later, since the listener may be in the middle of a call that writes
        }
    }

    private void tellWritable() {
        if (listener != null && !ending && channel.isWritable()) {
            try {
                listener.onWritable();
            } catch (Throwable e) {
                onException(e);
            }
        }
    }

    void onException(Throwable thrown) {
        if (!aborted) { // else it is about what was being written
            Throwable reason =
                    thrown instanceof DecoderException && thrown.getCause() != null ? thrown.getCause() : thrown;
            abort(asFailure(reason));
        }
    }

    /** The other side has said in TLS that nothing more will come. */
    void onEndOfTls() {
        endedByTls = true;
    }

    /** The stream has ended in the middle of a frame. */
    void onCut() {
        if (!ending && cause == null) {
            cause = ErrorCode.DISCONNECTED.exception("connection to " + remoteAddress + " was cut in the middle of a frame");
        }
    }

    void onInactive() {
        if (!inactive
                && !ending
                && !endedByTls
                && cause == null
                && channel.pipeline().get(SslHandler.class) != null) {
            cause = ErrorCode.DISCONNECTED.exception("connection to " + remoteAddress + " was cut");
        }
        inactive = true;
        tellClosed();
    }

    private void tellClosed() {
        try {
            if (!toldClosed && listener != null) {
                toldClosed = true;
                listener.onClosed(cause);
            }
        } finally {
            closed.complete(null);
        }
    }

    private @Nullable Throwable asFailure(@Nullable Throwable thrown) {
        if (thrown == null || thrown instanceof ParleyException || thrown instanceof RuntimeException) {
            return thrown;
        }
        return ErrorCode.DISCONNECTED.exception(
                "connection to " + remoteAddress + " was lost: " + thrown.getMessage(), thrown);
    }
}
