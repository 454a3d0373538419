package io.parley.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.parley.bench.contender.MessageBytes;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ReplyDispatcher;

/** The memory from which raw Netty sends, and the use of the frames that it receives. */
public enum MemoryMode {
    /** Sends one direct buffer repeatedly and drops received buffers; copies nothing and reads only what is checked. */
    UNTOUCHED {
        @Override
        ByteBuf frame(byte[] bytes) {
            return Unpooled.directBuffer().writeBytes(bytes);
        }

        @Override
        ByteBuf newFrame(ByteBufAllocator allocator, byte[] bytes) {
            return allocator.directBuffer(bytes.length).writeBytes(bytes);
        }

        @Override
        void received(ByteBuf frame, ReplyDispatcher replies) {
            try {
                replies.arrived(new ByteBufBytes(frame));
            } finally {
                frame.release();
            }
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
        ByteBuf newFrame(ByteBufAllocator allocator, byte[] bytes) {
            return Unpooled.wrappedBuffer(bytes);
        }

        @Override
        void received(ByteBuf frame, ReplyDispatcher replies) {
            byte[] bytes = ByteBufUtil.getBytes(frame);
            frame.release();
            replies.arrived(MessageBytes.of(bytes, LoopbackChannels.LENGTH_BYTES));
        }

        @Override
        ChannelHandler echo(MessageCounter tally) {
            return new ArrayEchoHandler(tally);
        }
    };

    /** Returns a frame that may be sent any number of times. */
    abstract ByteBuf frame(byte[] bytes);

    /** Returns a frame that is sent once. */
    abstract ByteBuf newFrame(ByteBufAllocator allocator, byte[] bytes);

    /** Passes a received frame to {@code replies}. Takes ownership of {@code frame}. */
    abstract void received(ByteBuf frame, ReplyDispatcher replies);

    /** Returns a handler for the server. */
    abstract ChannelHandler echo(MessageCounter tally);
}
