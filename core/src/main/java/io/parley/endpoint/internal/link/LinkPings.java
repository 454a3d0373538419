package io.parley.endpoint.internal.link;

import io.parley.common.Scheduler;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.error.ErrorCode;
import io.parley.transport.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The pings of one link that wait for their responses. Confined to the event loop of the link. */
final class LinkPings {

    private static final int MAX_PINGS = 1024;

    /** Its text form describes the link in failures. */
    private final Object link;

    private final Connection connection;
    private final FrameWriter frames;
    private final Scheduler scheduler;
    private final Map<Long, PendingPing> pending = new HashMap<>();
    private long last;

    private record PendingPing(long startNanos, CompletableFuture<Duration> result) {}

    /** @param link its text form describes the link */
    LinkPings(Object link, Connection connection, FrameWriter frames, Scheduler scheduler) {
        this.link = link;
        this.connection = connection;
        this.frames = frames;
        this.scheduler = scheduler;
    }

    /** Sends a ping whose response completes {@code result} with the time since {@code startNanos}. */
    void send(long startNanos, CompletableFuture<Duration> result) {
        if (pending.size() >= MAX_PINGS) {
            result.completeExceptionally(
                    ErrorCode.BUSY.exception(link + ": " + MAX_PINGS + " pings are pending; wait for a response"));
            return;
        }
        pending.put(++last, new PendingPing(startNanos, result));
        write(last);
    }

    /** Sends a ping whose response is ignored. */
    void sendProbe() {
        write(0);
    }

    private void write(long number) {
        connection.write(frames.ping(number), null);
        connection.flush();
    }

    void onPong(long number) {
        PendingPing ping = pending.remove(number);
        if (ping != null) {
            ping.result.complete(Duration.ofNanos(scheduler.nanoTime() - ping.startNanos));
        }
    }

    /** Fails the pings, because the link is closed. */
    void close(@Nullable Throwable cause) {
        List<PendingPing> lost = new ArrayList<>(pending.values());
        pending.clear();
        lost.forEach(ping -> ping.result.completeExceptionally(
                ErrorCode.DISCONNECTED.exception(link + ": closed while a ping was pending", cause)));
    }
}
