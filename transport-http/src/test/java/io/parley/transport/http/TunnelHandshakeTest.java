package io.parley.transport.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.parley.error.ErrorCode;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualScheduler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TunnelHandshakeTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final ManualScheduler scheduler = new ManualScheduler(new ManualClock(Instant.EPOCH), new Random(1));
    private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
    private final List<String> results = new ArrayList<>();
    private final TunnelHandshake handshake = new TunnelHandshake(
            channel,
            () -> results.add("open"),
            reason -> results.add(reason.code().name()));

    @AfterEach
    void release() {
        channel.finishAndReleaseAll();
    }

    @Test
    void timeout_rejects() {
        handshake.startTimer(scheduler, TIMEOUT);
        scheduler.advance(TIMEOUT);
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
        handshake.complete();
        assertThat(results).containsExactly("TIMEOUT");
    }

    @Test
    void timeoutThatWaitsForTheEventLoop_doesNotCloseAnOpenTunnel() {
        handshake.startTimer(scheduler, TIMEOUT);
        scheduler.advance(TIMEOUT); // queues the task
        handshake.complete();
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isTrue();
        assertThat(results).containsExactly("open");
    }

    @Test
    void result_isReportedOnce() {
        handshake.complete();
        handshake.complete();
        handshake.report(ErrorCode.CLOSED.exception("late"));
        assertThat(results).containsExactly("open");
    }
}
