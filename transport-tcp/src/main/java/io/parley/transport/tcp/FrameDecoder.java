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

/**
 * Cuts the byte stream into frames, each preceded by its length in four bytes, and hands them to the connection as they
 * complete. A length beyond the limit of the moment ends the connection before any memory is taken for it.
 */
final class FrameDecoder extends ByteToMessageDecoder {

    static final int LENGTH_BYTES = 4;

    /** Smaller reads are copied together after all, so that single bytes don't become buffers. */
    private static final int SMALLEST_COMPOSED_BYTES = 1024;

    private final TcpConnection connection;
    private int maxFrameBytes = Connection.MAX_HANDSHAKE_FRAME_BYTES;
    private boolean delivering;
    private byte[] rest = new byte[0];

    FrameDecoder(TcpConnection connection) {
        this.connection = connection;
        // The part of a frame that one read left over and the next read are put side by side, not copied together.
        setCumulator(new AdaptiveCumulator(SMALLEST_COMPOSED_BYTES));
    }

    void setMaxFrameBytes(int bytes) {
        maxFrameBytes = bytes;
    }

    /** Begins to deliver frames, or stops. Frames that have been read stay here meanwhile. */
    void setDelivering(boolean value, ChannelHandlerContext context) throws Exception {
        delivering = value;
        context.channel().config().setAutoRead(value);
        if (value) {
            channelRead(context, Unpooled.EMPTY_BUFFER); // decodes what has been kept
        }
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (delivering) {
            deliverNext(in);
        }
    }

    private void deliverNext(ByteBuf in) {
        if (in.readableBytes() < LENGTH_BYTES) {
            return;
        }
        long length = in.getUnsignedInt(in.readerIndex());
        if (length > maxFrameBytes) {
            throw tooLong(length);
        }
        if (in.readableBytes() >= LENGTH_BYTES + length) {
            in.skipBytes(LENGTH_BYTES);
            connection.onFrame(in.readSlice((int) length));
        }
    }

    private ParleyException tooLong(long length) {
        return isTls((int) (length >>> Short.SIZE))
                ? ErrorCode.PROTOCOL_VIOLATION.exception(
                        "the other side speaks TLS, this one plaintext; both have to choose the same")
                : ErrorCode.LIMIT_EXCEEDED.exception(
                        "frame: " + length + " bytes (expected: <= " + maxFrameBytes + ")");
    }

    /** Whether a TLS record begins like that: an alert or a handshake, then the major version. */
    private static boolean isTls(int twoBytes) {
        return twoBytes == 0x1503 || twoBytes == 0x1603;
    }

    @Override
    protected void decodeLast(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        while (delivering && in.isReadable()) {
            int before = in.readableBytes();
            decode(context, in, out);
            if (in.readableBytes() == before) {
                connection.onCut();
                return;
            }
        }
    }

    /** Delivers what came before the connection was started, when it is gone already. */
    void deliverRest() {
        ByteBuf in = Unpooled.wrappedBuffer(rest);
        rest = new byte[0];
        try {
            for (int before = -1; before != in.readableBytes(); ) {
                before = in.readableBytes();
                deliverNext(in);
            }
        } catch (Throwable e) {
            connection.onException(e);
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
            delivering = true; // nobody is left to be slowed down
        } else {
            rest = ByteBufUtil.getBytes(internalBuffer());
        }
        super.channelInactive(context);
        connection.onInactive();
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) {
        connection.onInactive(); // the last that ever happens here, should a handler in front have failed before
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
