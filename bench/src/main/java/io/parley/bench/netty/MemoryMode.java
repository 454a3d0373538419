package io.parley.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.parley.bench.contender.MessageCounter;

/** What a side of raw Netty sends from, and what it makes of what it receives. */
public enum MemoryMode {
    /** Nothing is copied or looked at: one direct buffer is sent over and over, and received ones are dropped. */
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

    /** The application's memory is arrays: it sends one, and gets what it receives as one of its own. */
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
                throw new IllegalStateException("an empty frame"); // and so the array is not optimised away
            }
        }

        @Override
        ChannelHandler echo(MessageCounter tally) {
            return new ArrayEchoHandler(tally);
        }
    };

    /** A frame to send, as often as wanted. */
    abstract ByteBuf frame(byte[] bytes);

    /** Takes a received frame; takes ownership. */
    abstract void received(ByteBuf frame);

    /** The serving side's handler. */
    abstract ChannelHandler echo(MessageCounter tally);
}
