package io.parley.transport.tcp;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.ReferenceCountUtil;
import io.parley.common.internal.HostPrefix;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what an accepted channel has read, at the head of its pipeline, until it is the turn of the remote host ({@link HostTurns}).
 * Meanwhile the channel does not read on, so that it keeps one read. All other events come after the bytes that were read before.
 */
final class HostTurnHandler extends ChannelDuplexHandler {

    private final HostTurns turns;

    /** Null most of the time, because thousands of channels are idle. */
    private @Nullable Queue<Object> kept;

    /** Whether a read was passed on whose end was not. */
    private boolean passed;

    /** Whether the channel reads again after its turn; {@link FrameDecoder} knows better if it is there. */
    private boolean reading;

    /** Whether a handler has asked for a read, which is made after the turn. */
    private boolean readRequested;

    HostTurnHandler(HostTurns turns) {
        this.turns = turns;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        if (kept != null) {
            kept.add(bytes);
        } else if (turns.mayRun()) {
            passed = true;
            context.fireChannelRead(bytes);
        } else {
            keep(context, bytes);
        }
    }

    private void keep(ChannelHandlerContext context, Object bytes) {
        Queue<Object> first = new ArrayDeque<>(1);
        first.add(bytes);
        kept = first;
        readRequested = false;
        reading = context.channel().config().isAutoRead();
        context.channel().config().setAutoRead(false);
        InetSocketAddress remote = (InetSocketAddress) context.channel().remoteAddress();
        turns.add(HostPrefix.of(remote.getAddress().getHostAddress()), () -> deliver(context));
    }

    private void deliver(ChannelHandlerContext context) {
        Queue<Object> all = kept;
        if (all == null) {
            return;
        }
        kept = null;
        resumeReading(context); // before the delivery, which may stop the reading
        for (Object next = all.poll(); next != null; next = all.poll()) {
            context.fireChannelRead(next);
        }
        passed = false;
        context.fireChannelReadComplete();
    }

    private void resumeReading(ChannelHandlerContext context) {
        FrameDecoder frames = context.pipeline().get(FrameDecoder.class);
        boolean resumed = frames == null ? reading : frames.isDelivering();
        context.channel().config().setAutoRead(resumed);
        if (!resumed && readRequested) {
            context.read();
        }
    }

    /** Called also when automatic reading is switched on, which then waits until the turn. */
    @Override
    public void read(ChannelHandlerContext context) {
        if (kept == null) {
            context.read();
            return;
        }
        readRequested = true;
        if (context.channel().config().isAutoRead()) {
            reading = true;
            context.channel().config().setAutoRead(false);
        }
    }

    /** The end of a loop of reads belongs to those that were passed on, even if a later one is kept. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (kept == null || passed) {
            passed = false;
            context.fireChannelReadComplete();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        deliver(context);
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        deliver(context);
        context.fireExceptionCaught(cause);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        Queue<Object> all = kept;
        kept = null;
        if (all != null) {
            all.forEach(ReferenceCountUtil::release);
        }
    }
}
