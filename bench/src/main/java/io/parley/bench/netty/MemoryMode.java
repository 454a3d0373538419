package io.parley.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.parley.bench.contender.MessageCounter;

/** The memory from which raw Netty sends, and the use of the frames that it receives. */
public enum MemoryMode {
    /** Sends one direct buffer repeatedly and drops received buffers; copies and reads nothing. */
    UNTOUCHED {
        @Override
        ByteBuf frame(byte[] bytes) {
            return Unpooled.directBuffer().writeBytes(bytes);
        }

        @Override
        void received(ByteBuf frame) {
            frame.release();
        }

        @Override
        ChannelHandler echo(MessageCounter tally) {
            return new EchoHandler(tally);
        }
    },

    /**
     * Sends from an array and copies each received frame into a new array, for an application whose memory is arrays.
     */
    ARRAYS {
        @Override
        ByteBuf frame(byte[] bytes) {
            return Unpooled.wrappedBuffer(bytes);
        }

        @Override
        void received(ByteBuf frame) {
            byte[] bytes = ByteBufUtil.getBytes(frame);
            frame.release();
            if (bytes.length == 0) {
                throw new IllegalStateException(
                        "frame: 0 bytes (expected: > 0)"); // uses the array, so that it is not optimized away
            }
        }

        @Override
        ChannelHandler echo(MessageCounter tally) {
            return new ArrayEchoHandler(tally);
        }
    };

    /** Returns a frame that may be sent any number of times. */
    abstract ByteBuf frame(byte[] bytes);

    /** Uses a received frame. Takes ownership of {@code frame}. */
    abstract void received(ByteBuf frame);

    /** Returns a handler for the server. */
    abstract ChannelHandler echo(MessageCounter tally);
}
