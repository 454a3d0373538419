package io.parley.examples.demo;

import io.parley.examples.chat.ChatLine;
import io.parley.examples.chat.ChatScreen;
import io.parley.examples.console.JsonObject;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * An automatic participant of a chat room. It waits until the other participants are announced, sends one line, and leaves
 * after it has received one line from each of them.
 */
public final class DemoChatParticipant implements ChatScreen {

    private static final String LINE = "Hello from the demo.";

    private final long startNanos = System.nanoTime();
    private final CountDownLatch pendingAnnouncements;
    private final CountDownLatch pendingLines;
    private volatile long metNanos;
    private boolean sent;
    private final int others;

    /**
     * Creates a participant.
     *
     * @param others the number of other participants
     */
    public DemoChatParticipant(int others) {
        this.others = others;
        this.pendingAnnouncements = new CountDownLatch(others);
        this.pendingLines = new CountDownLatch(others);
    }

    @Override
    public void show(ChatLine shown) {
        if (!shown.name().isEmpty()) {
            pendingLines.countDown();
        } else if (shown.text().contains(" is here ")) {
            metNanos = System.nanoTime();
            pendingAnnouncements.countDown();
        }
    }

    @Override
    public @Nullable String read() {
        try {
            if (sent) {
                pendingLines.await();
                return null;
            }
            pendingAnnouncements.await();
            sent = true;
            return LINE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** Returns the results. Must be called after {@link #read} has returned {@code null}. */
    public JsonObject toJson() {
        return JsonObject.object()
                .add("heard", others - pendingLines.getCount())
                .add("met_ms", (metNanos - startNanos) / 1e6);
    }

    @Override
    public void close() {}
}
