package io.parley.examples.chat;

import io.parley.error.ParleyException;
import io.parley.examples.console.Futures;
import io.parley.examples.conversation.Conversation;
import io.parley.message.Message;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The guest's part of a hosted chat. */
public final class ChatGuest {

    private final Conversation host;
    private final ChatScreen screen;

    /** Creates the guest of a conversation that was joined with {@link #hello}. */
    public ChatGuest(Conversation host, ChatScreen screen) {
        this.host = host;
        this.screen = screen;
    }

    /** Returns the first message of a guest. */
    public static Message hello(String name) {
        return new ChatLine(name, "").toMessage();
    }

    /**
     * Runs the chat until the guest leaves or the host ends it.
     *
     * @throws ParleyException if the connection to the host is lost
     */
    public void run() {
        CompletableFuture<Void> typed = ChatInputReader.start(screen, line -> host.send(line.toMessage()));
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread listener = new Thread(() -> receive(ended), "listener");
        listener.setDaemon(true);
        listener.start();
        Futures.join(CompletableFuture.anyOf(typed, ended));
    }

    private void receive(CompletableFuture<Void> ended) {
        try {
            Optional<Message> message = host.receive();
            while (message.isPresent()) {
                screen.show(ChatLine.of(message.get()));
                message = host.receive();
            }
            ended.complete(null);
        } catch (InterruptedException | RuntimeException e) {
            ended.completeExceptionally(e);
        }
    }
}
