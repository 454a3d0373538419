package io.parley.examples.chat;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads typed lines until {@code /quit} or the end of the input. */
public final class ChatInputReader {

    private ChatInputReader() {}

    /**
     * Starts a daemon thread that reads lines. A read of the standard input cannot be interrupted.
     *
     * @return a future that completes at the end of the input; it fails if {@code listener} fails
     */
    public static CompletableFuture<Void> start(ChatScreen screen, Consumer<ChatLine> listener) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        read(screen, listener);
                        ended.complete(null);
                    } catch (IOException | RuntimeException e) {
                        ended.completeExceptionally(e);
                    }
                },
                "keyboard");
        thread.setDaemon(true);
        thread.start();
        return ended;
    }

    private static void read(ChatScreen screen, Consumer<ChatLine> listener) throws IOException {
        for (@Nullable String typed; (typed = screen.read()) != null; ) {
            ChatLine line = ChatLine.note(typed);
            if (line.text().equals("/quit")) {
                return;
            }
            if (!line.text().isEmpty()) {
                listener.accept(line);
            }
        }
    }
}
