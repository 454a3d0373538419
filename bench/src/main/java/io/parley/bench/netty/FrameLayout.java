package io.parley.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.AdaptiveCumulator;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameDecoder;
import io.netty.handler.codec.http.websocketx.WebSocket13FrameEncoder;

/** The borders of messages on the wire. In all cases, handlers get and write each message with its length in front of it. */
public enum FrameLayout {
    /** The length alone. */
    LENGTH {
        @Override
        void addHandlers(ChannelPipeline pipeline, boolean isClient) {
            pipeline.addLast(
                    uncopied(new LengthFieldBasedFrameDecoder(MAX_FRAME_BYTES, 0, LoopbackChannels.LENGTH_BYTES)));
        }
    },

    /**
     * Each message is a binary frame of WebSocket (RFC 6455), by the codec of Netty: frames from the client are masked. The HTTP request
     * that opens a WebSocket is left out, because only the messages after it are measured.
     */
    WEB_SOCKET {
        @Override
        void addHandlers(ChannelPipeline pipeline, boolean isClient) {
            boolean isMaskExpected = !isClient;
            pipeline.addLast(uncopied(new WebSocket13FrameDecoder(isMaskExpected, false, MAX_FRAME_BYTES)))
                    .addLast(new WebSocket13FrameEncoder(isClient))
                    .addLast(new BinaryFrames());
        }
    };

    private static final int MAX_FRAME_BYTES = 64 << 20;
    private static final int MIN_COMPOSITE_BYTES = 8 << 10;

    /** Adds the handlers at the end of a pipeline. */
    abstract void addHandlers(ChannelPipeline pipeline, boolean isClient);

    /** Lets a decoder assemble a large frame without a copy of each read. */
    private static ByteToMessageDecoder uncopied(ByteToMessageDecoder decoder) {
        decoder.setCumulator(new AdaptiveCumulator(MIN_COMPOSITE_BYTES));
        return decoder;
    }

    /** Converts between buffers and binary frames. */
    private static final class BinaryFrames extends ChannelDuplexHandler {

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ctx.fireChannelRead(((BinaryWebSocketFrame) message).content());
        }

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            ctx.write(new BinaryWebSocketFrame((ByteBuf) message), promise);
        }
    }
}
