package io.parley.transport.tcp.internal.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import io.parley.common.Scheduler;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.Throwables;
import io.parley.common.internal.Timers;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.transport.TransportContext;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the first byte of an accepted connection at the end of its pipeline. The connection is for this peer, or it begins with a
 * {@link RelayRequest}, which the {@link Relay} of this peer serves if it is one. The time until then is bounded by the timeout of a handshake.
 */
public final class RelayRequestHandler extends ByteToMessageDecoder {

    /** The transport that has accepted the connection. Called on the event loop. */
    public interface Owner {

        /** Called if the connection is for this peer. Adds the handlers that read it. */
        void onDirect();

        /**
         * Called if a peer listens at the relay. Adds handlers that authenticate the peer, and passes the connection to
         * {@link Relay#listen}.
         *
         * @param peer the peer that claims to do so
         */
        void onListen(PeerId peer);

        /** Called when the connection has become one half of a circuit, so that its handshake is complete. */
        void onJoined();

        /** Called if the connection is refused. It is closed afterwards. */
        void onRejected(ParleyException reason);
    }

    private final @Nullable Relay relay;
    private final InetSocketAddress remote;
    private final Owner owner;
    private Scheduler.Timer timer;
    private boolean requested;
    private boolean reported;

    /**
     * Creates the handler of a channel. Called on its event loop.
     *
     * @param relay  the relay of this peer; null if it is none
     * @param remote the address of the remote peer
     */
    public RelayRequestHandler(
            TransportContext context, @Nullable Relay relay, Channel channel, InetSocketAddress remote, Owner owner) {
        this.relay = relay;
        this.remote = remote;
        this.owner = owner;
        Duration timeout = context.limits().handshakeTimeout();
        this.timer = Timers.schedule(context.scheduler(), timeout, channel.eventLoop(), () -> {
            if (!requested && !reported) { // otherwise the task was queued already when the timer was cancelled
                onRejected(ErrorCode.TIMEOUT.exception(
                        "handshake: no completion within " + DurationFormatter.format(timeout)));
                channel.close();
            }
        });
        channel.closeFuture().addListener(closed -> timer.cancel());
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        if (requested || reported) {
            return; // bytes that belong behind the response
        }
        if (!RelayRequest.isBegin(in.getByte(in.readerIndex()))) {
            timer.cancel();
            reported = true;
            owner.onDirect();
            context.pipeline().remove(this); // passes the bytes on
        } else if (in.readableBytes() >= RelayRequest.BYTES) {
            RelayRequest request = RelayRequest.read(in);
            timer.cancel();
            requested = true;
            serve(context, request);
        }
    }

    /** Not by the superclass: it sees no messages, so it would read on although the circuit is not joined. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        discardSomeReadBytes();
        context.fireChannelReadComplete();
    }

    private void serve(ChannelHandlerContext context, RelayRequest request) {
        Relay serving = relay;
        if (serving == null) {
            refuse(context, ErrorCode.NO_SUCH_SERVICE.exception("this peer is not a relay"));
        } else if (request instanceof RelayRequest.Listen listen) {
            context.writeAndFlush(RelayResponse.OK.write(context.alloc()));
            reported = true;
            owner.onListen(listen.peer());
            context.pipeline().remove(this);
        } else {
            context.channel().config().setAutoRead(false); // until the circuit is joined
            CircuitHalf half = new CircuitHalf(this, context, remote);
            if (request instanceof RelayRequest.Dial dial) {
                serving.dial(half, dial.target());
            } else if (request instanceof RelayRequest.Accept accept) {
                serving.accept(half, accept.circuit());
            }
        }
    }

    /** Notes that the connection belongs to a circuit from now on. Called on the event loop. */
    void onJoined(ChannelHandlerContext context) {
        reported = true;
        owner.onJoined();
        if (!context.isRemoved()) { // otherwise the connection has closed, and the other one with it
            context.pipeline().remove(this); // passes the bytes behind the request on
        }
    }

    /** Responds with the reason, and closes. Called on the event loop. */
    void refuse(ChannelHandlerContext context, ParleyException reason) {
        onRejected(reason);
        context.writeAndFlush(RelayResponse.refusal(reason).write(context.alloc()))
                .addListener(ChannelFutureListener.CLOSE);
    }

    private void onRejected(ParleyException reason) {
        if (!reported) {
            reported = true;
            timer.cancel();
            owner.onRejected(reason);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        onRejected(ErrorCode.UNREACHABLE.exception("the remote peer closed the connection before a handshake"));
        super.channelInactive(context);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable thrown) {
        Throwable cause = thrown instanceof DecoderException && thrown.getCause() != null ? thrown.getCause() : thrown;
        onRejected(Throwables.toParleyException(cause, ErrorCode.UNREACHABLE));
        context.close();
    }
}
