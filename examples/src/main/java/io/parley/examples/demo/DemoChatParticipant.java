package io.parley.examples.demo;

import io.parley.examples.chat.ChatLine;
import io.parley.examples.chat.ChatScreen;
import io.parley.examples.console.JsonObject;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Somebody in a chat room who waits until so many others are there, says one line, and leaves when it has heard one of each
 * of them.
 */
public final class DemoChatParticipant implements ChatScreen {

    private static final String LINE = "Here I am.";

    private final long startNanos = System.nanoTime();
    private final CountDownLatch toCome;
    private final CountDownLatch toSpeak;
    private volatile long metNanos;
    private boolean spoken;
    private final int others;

    /**
     * Somebody who waits.
     *
     * @param others how many it waits for
     */
    public DemoChatParticipant(int others) {
        this.others = others;
        this.toCome = new CountDownLatch(others);
        this.toSpeak = new CountDownLatch(others);
    }

    @Override
    public void show(ChatLine shown) {
        if (!shown.name().isEmpty()) {
            toSpeak.countDown();
        } else if (shown.text().contains(" is here ")) {
            metNanos = System.nanoTime();
            toCome.countDown();
        }
    }

    @Override
    public @Nullable String read() {
        try {
            if (spoken) {
                toSpeak.await();
                return null;
            }
            toCome.await();
            spoken = true;
            return LINE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** What came of it, once {@link #read} has given the end. */
    public JsonObject toJson() {
        return JsonObject.object()
                .add("heard", others - toSpeak.getCount())
                .add("met_ms", (metNanos - startNanos) / 1e6);
    }

    @Override
    public void close() {}
}
