package io.parley.transport.tcp.internal.relay;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import io.parley.common.Scheduler;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.Throwables;
import io.parley.common.internal.Timers;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** Sends a request to a relay, waits for the response at the end of the pipeline, and reports its result once, on the event loop. */
public final class RelayResponseHandler extends ByteToMessageDecoder {

    private final RelayRequest request;
    private final Scheduler scheduler;
    private final Duration timeout;
    private final Runnable onOpen;
    private final Consumer<ParleyException> onRejected;
    private Scheduler.Timer timer = () -> {};
    private boolean reported;

    /**
     * Creates a handler for a channel that is connected to a relay.
     *
     * @param timeout    the time in which the relay must respond
     * @param onOpen     called when the relay serves the request; may add handlers
     * @param onRejected called instead with the reason if it does not; the channel is closed afterwards
     */
    public RelayResponseHandler(
            RelayRequest request,
            Scheduler scheduler,
            Duration timeout,
            Runnable onOpen,
            Consumer<ParleyException> onRejected) {
        this.request = request;
        this.scheduler = scheduler;
        this.timeout = timeout;
        this.onOpen = onOpen;
        this.onRejected = onRejected;
    }

    /** Sends the request. */
    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        timer = Timers.schedule(scheduler, timeout, context.executor(), () -> {
            if (!reported) { // otherwise the task was queued already when the timer was cancelled
                reject(
                        context,
                        ErrorCode.TIMEOUT.exception(
                                "no response to the request to the relay within " + DurationFormatter.format(timeout)));
            }
        });
        context.channel().closeFuture().addListener(closed -> timer.cancel());
        context.writeAndFlush(request.write(context.alloc()));
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
        RelayResponse response = reported ? null : RelayResponse.read(in);
        if (response == null) {
            return;
        }
        if (response.status().number() != 0) {
            reject(context, response.status().toException("refused by the relay"));
            return;
        }
        reported = true;
        timer.cancel();
        onOpen.run();
        context.pipeline().remove(this); // passes the bytes behind the response on
    }

    private void reject(ChannelHandlerContext context, ParleyException reason) {
        if (!reported) {
            reported = true;
            timer.cancel();
            onRejected.accept(reason);
        }
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        if (!reported) {
            reject(
                    context,
                    ErrorCode.UNREACHABLE.exception(
                            "the relay closed the connection without a response; check that a relay listens there"));
        }
        super.channelInactive(context);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable thrown) {
        Throwable cause = thrown instanceof DecoderException && thrown.getCause() != null ? thrown.getCause() : thrown;
        reject(context, Throwables.toParleyException(cause, ErrorCode.UNREACHABLE));
    }
}
