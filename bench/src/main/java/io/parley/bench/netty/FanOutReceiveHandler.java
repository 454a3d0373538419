package io.parley.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.parley.bench.contender.MessageBytes;
import java.util.function.Consumer;

/** Copies each message into a new array, as an application would, and passes it on. */
final class FanOutReceiveHandler extends ChannelInboundHandlerAdapter {

    private final Consumer<MessageBytes> receiver;

    FanOutReceiveHandler(Consumer<MessageBytes> receiver) {
        this.receiver = receiver;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf frame = (ByteBuf) message;
        byte[] bytes = ByteBufUtil.getBytes(frame);
        frame.release();
        receiver.accept(MessageBytes.of(bytes, LoopbackChannels.LENGTH_BYTES));
    }
}
