package io.parley.examples.chat;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads what is typed until {@code /quit} or the end of the input. */
public final class ChatInputReader {

    private ChatInputReader() {}

    /**
     * Starts to read, on a thread of its own; a daemon, because nothing can wake it while it waits for a key.
     *
     * @return completes at the end of the input, or when {@code said} fails
     */
    public static CompletableFuture<Void> start(ChatScreen screen, Consumer<ChatLine> said) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        read(screen, said);
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

    private static void read(ChatScreen screen, Consumer<ChatLine> said) throws IOException {
        for (@Nullable String typed; (typed = screen.read()) != null; ) {
            ChatLine line = ChatLine.note(typed);
            if (line.text().equals("/quit")) {
                return;
            }
            if (!line.text().isEmpty()) {
                said.accept(line);
            }
        }
    }
}
