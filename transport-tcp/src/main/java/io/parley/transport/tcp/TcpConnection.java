package io.parley.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.handler.codec.DecoderException;
import io.netty.util.concurrent.EventExecutor;
import io.parley.common.Scheduler.Timer;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.Timers;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** A connection on a channel after the TLS handshake. See {@link Connection} for threads. */
final class TcpConnection implements Connection {

    /**
     * The bytes of small frames after which a flush does not wait for more, so that the remote peer works while this one encodes the
     * rest. Large frames wait until the channel is not writable: the fragments of a large message are ready, and a system call for
     * each of them doubles the round trip of 4 MB.
     */
    private static final int MAX_UNFLUSHED_BYTES = 64 * 1024;

    private final TransportContext context;
    private final Channel channel;
    private final EndpointAddress remoteAddress;
    private final boolean dialer;
    private final @Nullable PeerId authenticatedPeer;
    private final Runnable onHandshakeCompleted;
    private final FrameDecoder decoder = new FrameDecoder(this);
    private final WriteCompletionQueue writes = new WriteCompletionQueue(this::asFailure);
    private final FrameBatch batch;
    private final Runnable flushing = this::flushNow;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private @Nullable ConnectionListener listener;
    private @Nullable Throwable cause;
    private boolean reading;

    /** Whether a frame of the present read was delivered. */
    private boolean delivered;

    private boolean flushScheduled;
    private int unflushedBytes;
    private boolean ending;
    private boolean aborted;
    private boolean endedByTls;
    private boolean inactive;
    private boolean closeNotified;

    /** @param onHandshakeCompleted called when the endpoints have completed their handshake */
    TcpConnection(
            TransportContext context,
            Channel channel,
            EndpointAddress remoteAddress,
            boolean dialer,
            @Nullable PeerId authenticatedPeer,
            Runnable onHandshakeCompleted) {
        this.context = context;
        this.channel = channel;
        this.remoteAddress = remoteAddress;
        this.dialer = dialer;
        this.authenticatedPeer = authenticatedPeer;
        this.onHandshakeCompleted = onHandshakeCompleted;
        this.batch = new FrameBatch(channel.alloc());
    }

    /** Adds the decoder at the end of the pipeline. Must be called on the event loop. */
    void install() {
        channel.config().setAutoRead(false);
        channel.pipeline().addLast(decoder);
    }

    Channel channel() {
        return channel;
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
        return authenticatedPeer;
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
                decoder.deliverUndelivered();
                notifyClosed();
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
        boolean prefixed = hasHeadroom(frame);
        if (prefixed) {
            int start = frame.readerIndex() - FrameDecoder.LENGTH_BYTES;
            frame.setInt(start, length).readerIndex(start);
            batch.moveInFrontOf(frame);
        }
        boolean small = prefixed && frame.readableBytes() <= FrameBatch.MAX_FRAME_BYTES;
        if (!small || !batch.hasRoom()) {
            writeBatch();
        }
        if (small) {
            batch.add(frame, done);
            return;
        }
        if (!prefixed) {
            channel.write(allocator().ioBuffer(FrameDecoder.LENGTH_BYTES).writeInt(length), channel.voidPromise());
        }
        writeToChannel(frame, done);
    }

    @Override
    public boolean tryAppend(FrameSource frame) {
        return !ending && !inactive && batch.tryAppend(frame);
    }

    private void writeBatch() {
        ByteBuf frames = batch.removeFrames();
        if (frames != null) {
            unflushedBytes += frames.readableBytes();
            writeToChannel(frames, batch.removeListener());
        }
    }

    private void writeToChannel(ByteBuf bytes, @Nullable WriteListener done) {
        if (done == null) {
            channel.write(bytes, channel.voidPromise());
        } else {
            ChannelPromise promise = channel.newPromise();
            writes.add(promise, done);
            channel.write(bytes, promise);
        }
        if (unflushedBytes >= MAX_UNFLUSHED_BYTES || !channel.isWritable()) {
            unflushedBytes = 0;
            channel.flush(); // does not wait for the end of the read
        }
    }

    private static boolean hasHeadroom(ByteBuf frame) {
        int headroom = frame.readerIndex();
        if (headroom < FrameDecoder.LENGTH_BYTES || frame.isReadOnly()) {
            return false;
        }
        if (frame instanceof CompositeByteBuf parts) { // reports that it is writable even if its components are not
            ByteBuf first = parts.component(0);
            return first.readableBytes() >= headroom && !first.isReadOnly();
        }
        return frame.nioBufferCount() == 1;
    }

    /** Flushes at the end of the present read, or after the present task: once for all frames until then. */
    @Override
    public void flush() {
        if (!flushScheduled) {
            flushScheduled = true;
            if (!reading) {
                channel.eventLoop().execute(flushing);
            }
        }
    }

    @Override
    public void runAfterPoll(Runnable task) {
        SingleThreadEventLoop loop = (SingleThreadEventLoop) channel.eventLoop(); // as all loops of Netty that do I/O
        loop.executeAfterEventLoopIteration(
                () -> loop.execute(task)); // a task runs after the bytes of its iteration are read
    }

    private void flushNow() {
        if (flushScheduled) {
            flushScheduled = false;
            writeBatch();
            unflushedBytes = 0;
            channel.flush();
        }
    }

    /** Returns whether frames are being delivered. */
    boolean isReading() {
        return reading;
    }

    /** Notes that frames are delivered until {@link #onReadComplete}. */
    void onRead() {
        reading = true;
    }

    void onReadComplete() {
        ConnectionListener target = listener;
        if (reading && (delivered || decoder.partialBytes() > 0) && target != null && !ending) {
            delivered = false;
            try {
                target.onReadComplete();
            } catch (Throwable e) {
                onException(e);
            }
        }
        reading = false;
        flushNow();
    }

    private void discardBatch() {
        ByteBuf frames = batch.removeFrames();
        WriteListener done = batch.removeListener();
        if (frames != null) {
            frames.release();
        }
        if (done != null) {
            done.onWritten(ErrorCode.DISCONNECTED.exception("connection to " + remoteAddress + " is closed"));
        }
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    public void setReading(boolean reading) {
        ChannelHandlerContext handler = channel.pipeline().context(decoder);
        if (handler == null) {
            return; // the channel is closed
        }
        try {
            decoder.setDelivering(reading, handler);
        } catch (Throwable e) {
            onException(e);
        }
    }

    @Override
    public int partialFrameBytes() {
        return decoder.partialBytes();
    }

    @Override
    public void completeHandshake(int maxFrameBytes) {
        decoder.setMaxFrameBytes(maxFrameBytes);
        onHandshakeCompleted.run();
    }

    @Override
    public void close() {
        run(() -> {
            if (ending) {
                return;
            }
            writeBatch();
            ending = true;
            ChannelFuture flushed = channel.writeAndFlush(Unpooled.EMPTY_BUFFER);
            flushed.addListener(future -> channel.close());
            if (!flushed.isDone()) {
                Timer timer = Timers.schedule(
                        context.scheduler(),
                        context.limits().closeTimeout(),
                        channel.eventLoop(),
                        this::onCloseTimeout);
                channel.closeFuture().addListener(gone -> timer.cancel());
            }
        });
    }

    private void onCloseTimeout() {
        if (!inactive) {
            abort(ErrorCode.TIMEOUT.exception(
                    "connection to " + remoteAddress + ": the remote peer did not read the pending frames within "
                            + DurationFormatter.format(context.limits().closeTimeout())));
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
            closeImmediately(channel);
            discardBatch();
        });
    }

    /** Closes from the head of the pipeline, so that TLS does not wait for the remote peer. Thread-safe. */
    static void closeImmediately(Channel channel) {
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
            closed.complete(null); // the event loop has ended, and the channel before it
        }
    }

    boolean isStarted() {
        return listener != null;
    }

    void onFrame(ByteBuf frame) {
        ConnectionListener target = listener;
        if (target != null && !ending) {
            delivered = true;
            target.onFrame(frame);
        }
    }

    void onWritabilityChanged() {
        if (channel.isWritable()) {
            channel.eventLoop()
                    .execute(this::notifyWritable); // later, because the listener may be in a call that writes
        }
    }

    private void notifyWritable() {
        if (listener != null && !ending && channel.isWritable()) {
            try {
                listener.onWritable();
            } catch (Throwable e) {
                onException(e);
            }
        }
    }

    void onException(Throwable thrown) {
        if (!aborted) { // otherwise it is a failure of a pending write
            Throwable reason =
                    thrown instanceof DecoderException && thrown.getCause() != null ? thrown.getCause() : thrown;
            abort(asFailure(reason));
        }
    }

    /** Notes the end of the TLS stream, which distinguishes an orderly close from a truncation. */
    void onEndOfTls() {
        endedByTls = true;
    }

    /** Notes that the stream has ended inside a frame. */
    void onTruncated() {
        if (!ending && cause == null) {
            cause = ErrorCode.DISCONNECTED.exception("connection to " + remoteAddress + " ended inside a frame");
        }
    }

    void onInactive() {
        if (!inactive && !ending && !endedByTls && cause == null && authenticatedPeer != null) {
            cause = ErrorCode.DISCONNECTED.exception("connection to " + remoteAddress + " ended without a TLS close");
        }
        inactive = true;
        discardBatch();
        notifyClosed();
    }

    private void notifyClosed() {
        try {
            if (!closeNotified && listener != null) {
                closeNotified = true;
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
