package io.parley.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.parley.bench.stream.StreamEnd;
import java.io.EOFException;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An end of a stream for threads that block. The event loop stops reading while more than 1 MiB waits for the reader; a writer waits while
 * the channel is not writable.
 */
final class NettyStreamEnd extends ChannelInboundHandlerAdapter implements StreamEnd {

    private static final int CHUNK_BYTES = 256 << 10;
    private static final int MAX_WAITING_BYTES = 1 << 20;
    private static final ByteBuf END = Unpooled.unreleasableBuffer(Unpooled.buffer(0, 0));

    private final CompletableFuture<Channel> connected = new CompletableFuture<>();
    private final BlockingQueue<ByteBuf> received = new LinkedBlockingQueue<>();
    private final AtomicInteger waitingBytes = new AtomicInteger();
    private @Nullable ByteBuf current;

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        connected.complete(context.channel());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (!bytes.isReadable()) {
            bytes.release();
            return;
        }
        if (waitingBytes.addAndGet(bytes.readableBytes()) > MAX_WAITING_BYTES) {
            context.channel().config().setAutoRead(false);
        }
        received.add(bytes);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        received.add(END);
        wakeWriter();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        wakeWriter();
    }

    private synchronized void wakeWriter() {
        notifyAll();
    }

    /** Sends the bytes without waiting for more, as a socket without Nagle's algorithm does. */
    @Override
    public void write(byte[] block, int length) throws IOException, InterruptedException {
        Channel channel = connected.join();
        for (int offset = 0; offset < length; offset += CHUNK_BYTES) {
            int bytes = Math.min(CHUNK_BYTES, length - offset);
            awaitWritable(channel);
            channel.writeAndFlush(
                    channel.alloc().directBuffer(bytes).writeBytes(block, offset, bytes), channel.voidPromise());
        }
    }

    private void awaitWritable(Channel channel) throws IOException, InterruptedException {
        if (!channel.isWritable()) {
            synchronized (this) {
                while (!channel.isWritable() && channel.isActive()) {
                    wait();
                }
            }
        }
        if (!channel.isActive()) {
            throw new IOException("stream: closed by the other process");
        }
    }

    @Override
    public void read(byte[] block, int length) throws IOException, InterruptedException {
        for (int offset = 0; offset < length; ) {
            ByteBuf bytes = current == null ? received.take() : current;
            if (!bytes.isReadable()) { // the end
                received.add(END);
                throw new EOFException("stream: closed by the other process");
            }
            int count = Math.min(bytes.readableBytes(), length - offset);
            bytes.readBytes(block, offset, count);
            offset += count;
            current = bytes.isReadable() ? bytes : null;
            if (current == null) {
                bytes.release();
            }
            if (waitingBytes.addAndGet(-count) <= MAX_WAITING_BYTES / 2) {
                Channel channel = connected.join();
                if (!channel.config().isAutoRead()) {
                    channel.config().setAutoRead(true);
                }
            }
        }
    }

    @Override
    public void close() {
        connected.thenAccept(Channel::close);
    }
}
