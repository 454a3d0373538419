package io.parley.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.AdaptiveCumulator;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Splits the byte stream into frames, each preceded by its length in four bytes, and passes each complete frame to the
 * connection. A length above the current limit ends the connection before memory is allocated for the frame. Must be called on
 * the event loop.
 */
final class FrameDecoder extends ByteToMessageDecoder {

    static final int LENGTH_BYTES = 4;

    /** Smaller reads are copied, so that single bytes do not become components. */
    private static final int SMALLEST_COMPOSED_BYTES = 1024;

    /** A frame up to this length whose rest has not arrived is copied, so that the next read stays one buffer. */
    private static final int LARGEST_COPIED_BYTES = 4096;

    private final TcpConnection connection;

    /** The beginning of a short frame whose rest has not arrived, with its length field. */
    private @Nullable ByteBuf partial;

    private int maxFrameBytes = Connection.MAX_HANDSHAKE_FRAME_BYTES;
    private boolean delivering;
    private byte[] undelivered = new byte[0];

    FrameDecoder(TcpConnection connection) {
        this.connection = connection;
        // The rest of one read and the next read become components of one buffer, without copying.
        setCumulator(new AdaptiveCumulator(SMALLEST_COMPOSED_BYTES));
    }

    /** Returns the number of bytes that wait for the rest of their frame. */
    int partialBytes() {
        ByteBuf begun = partial;
        return begun != null ? begun.capacity() : actualReadableBytes();
    }

    void setMaxFrameBytes(int bytes) {
        maxFrameBytes = bytes;
    }

    boolean isDelivering() {
        return delivering;
    }

    /** Starts or stops the delivery of frames. While it is stopped, frames that have been read are kept. */
    void setDelivering(boolean value, ChannelHandlerContext context) throws Exception {
        delivering = value;
        context.channel().config().setAutoRead(value);
        if (value && connection.isReading()) { // called by the listener, whose calls must not nest
            context.executor().execute(() -> connection.setReading(delivering));
        } else if (value) {
            channelRead(context, Unpooled.EMPTY_BUFFER); // decodes the bytes that were kept
            connection.onReadComplete();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) throws Exception {
        connection.onRead();
        super.channelRead(context, bytes);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        connection.onReadComplete();
        // Not by the superclass: it sees no frames, so it would read on although the listener has stopped the reading.
        discardSomeReadBytes();
        context.fireChannelReadComplete();
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        // All frames of a read, because the superclass does more work for each call than a small frame costs.
        while (delivering && !context.isRemoved() && deliverNext(in)) {}
    }

    /** Delivers the next frame. Returns false if it is not complete. */
    private boolean deliverNext(ByteBuf in) {
        ByteBuf begun = partial;
        if (begun != null) {
            return continuePartial(begun, in);
        }
        if (in.readableBytes() < LENGTH_BYTES) {
            return false;
        }
        int length = checkedLength(in);
        if (in.readableBytes() < LENGTH_BYTES + length) {
            if (length <= LARGEST_COPIED_BYTES) {
                partial = in.alloc()
                        .directBuffer(LENGTH_BYTES + length, LENGTH_BYTES + length)
                        .writeBytes(in);
            }
            return false;
        }
        in.skipBytes(LENGTH_BYTES);
        connection.onFrame(in.readSlice(length));
        return true;
    }

    private boolean continuePartial(ByteBuf begun, ByteBuf in) {
        int missing = begun.capacity() - begun.writerIndex();
        begun.writeBytes(in, Math.min(missing, in.readableBytes()));
        if (begun.isWritable()) {
            return false;
        }
        partial = null;
        try {
            connection.onFrame(begun.skipBytes(LENGTH_BYTES));
        } finally {
            begun.release();
        }
        return true;
    }

    private int checkedLength(ByteBuf in) {
        long length = in.getUnsignedInt(in.readerIndex());
        if (length > maxFrameBytes) {
            throw tooLong(length);
        }
        return (int) length;
    }

    private ParleyException tooLong(long length) {
        return isTls((int) (length >>> Short.SIZE))
                ? ErrorCode.PROTOCOL_VIOLATION.exception(
                        "the remote peer uses TLS, this peer plaintext; both must use the same")
                : ErrorCode.LIMIT_EXCEEDED.exception(
                        "frame: " + length + " bytes (expected: <= " + maxFrameBytes + ")");
    }

    /** Returns whether these are the first two bytes of a TLS record: an alert or a handshake, then the major version. */
    private static boolean isTls(int twoBytes) {
        return twoBytes == 0x1503 || twoBytes == 0x1603;
    }

    @Override
    protected void decodeLast(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        decode(context, in, out);
        if (delivering && (in.isReadable() || partial != null)) {
            connection.onTruncated();
        }
    }

    /** Delivers the frames that arrived before the connection was started, if the channel is closed already. */
    void deliverUndelivered() {
        ByteBuf in = Unpooled.wrappedBuffer(undelivered);
        undelivered = new byte[0];
        try {
            while (deliverNext(in)) {}
        } catch (Throwable e) {
            connection.onException(e);
        } finally {
            releasePartial();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
        if (event instanceof SslCloseCompletionEvent completion && completion.isSuccess()) {
            connection.onEndOfTls();
        }
        super.userEventTriggered(context, event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        if (connection.isStarted()) {
            delivering = true; // the remote peer is gone, so back-pressure has no purpose
        } else {
            undelivered = ByteBufUtil.getBytes(internalBuffer());
        }
        super.channelInactive(context);
        connection.onInactive();
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) {
        releasePartial();
        connection.onInactive(); // the last event of the pipeline, in case an earlier handler has failed
    }

    private void releasePartial() {
        ByteBuf begun = partial;
        partial = null;
        if (begun != null) {
            begun.release();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        connection.onWritabilityChanged();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        connection.onException(cause);
    }
}
