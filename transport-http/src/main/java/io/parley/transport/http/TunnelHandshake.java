package io.parley.transport.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.parley.common.Scheduler;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.Timers;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.time.Duration;
import java.util.function.Consumer;

/** The handshake that opens one tunnel. Its result is reported once. Confined to the event loop of the channel. */
final class TunnelHandshake {

    private final Channel channel;
    private final Runnable onOpen;
    private final Consumer<ParleyException> onRejected;
    private Scheduler.Timer timer = () -> {};
    private boolean reported;

    TunnelHandshake(Channel channel, Runnable onOpen, Consumer<ParleyException> onRejected) {
        this.channel = channel;
        this.onOpen = onOpen;
        this.onRejected = onRejected;
    }

    /** Rejects the tunnel and closes the channel if it is not open within the timeout. */
    void startTimer(Scheduler scheduler, Duration timeout) {
        timer = Timers.schedule(scheduler, timeout, channel.eventLoop(), () -> {
            if (reported) {
                return; // the task was queued already when the timer was cancelled
            }
            reject(ErrorCode.TIMEOUT.exception(
                    "HTTP handshake: no completion within " + DurationFormatter.format(timeout)));
        });
        channel.closeFuture().addListener(closed -> timer.cancel());
    }

    boolean isReported() {
        return reported;
    }

    /** Reports that the tunnel is open. */
    void complete() {
        if (!reported) {
            reported = true;
            timer.cancel();
            onOpen.run();
        }
    }

    /** Reports why the tunnel is not opened, unless it was reported already, and closes the channel. */
    void reject(ParleyException reason) {
        report(reason);
        ChannelHandlerContext head = channel.pipeline().firstContext();
        if (head != null) { // at once, because an outer TLS could wait for the remote side
            head.close();
        }
    }

    /** Reports why the tunnel is not opened, unless it was reported already. The caller closes the channel. */
    void report(ParleyException reason) {
        if (!reported) {
            reported = true;
            timer.cancel();
            onRejected.accept(reason);
        }
    }
}
