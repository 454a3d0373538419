package io.parley.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.parley.endpoint.Connection;
import io.parley.error.ErrorCode;
import java.util.List;

/**
 * Cuts the byte stream into frames, each preceded by its length in four bytes, and hands them to the connection as they
 * complete. A length beyond the limit of the moment ends the connection before any memory is taken for it.
 */
final class FrameDecoder extends ByteToMessageDecoder {

    static final int LENGTH_BYTES = 4;

    private final TcpConnection connection;
    private int maxFrameBytes = Connection.MAX_HANDSHAKE_FRAME_BYTES;
    private boolean delivering;

    FrameDecoder(TcpConnection connection) {
        this.connection = connection;
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
        if (!delivering || in.readableBytes() < LENGTH_BYTES) {
            return;
        }
        long length = in.getUnsignedInt(in.readerIndex());
        if (length > maxFrameBytes) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "frame: " + length + " bytes (expected: <= " + maxFrameBytes + ")");
        }
        if (in.readableBytes() >= LENGTH_BYTES + length) {
            in.skipBytes(LENGTH_BYTES);
            connection.onFrame(in.readSlice((int) length));
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        super.channelInactive(context);
        connection.onInactive();
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
