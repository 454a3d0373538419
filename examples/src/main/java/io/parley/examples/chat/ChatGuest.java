package io.parley.examples.chat;

import io.parley.error.ParleyException;
import io.parley.examples.conversation.Conversation;
import io.parley.message.Message;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A guest's side of a chat. */
public final class ChatGuest {

    private final Conversation host;
    private final ChatScreen screen;

    /** A guest that has joined, see {@link #hello}. */
    public ChatGuest(Conversation host, ChatScreen screen) {
        this.host = host;
        this.screen = screen;
    }

    /** What a guest says when it joins. */
    public static Message hello(String name) {
        return new ChatLine(name, "").toMessage();
    }

    /**
     * Takes part until the guest leaves or the host ends the chat.
     *
     * @throws ParleyException when the host is lost
     */
    public void run() {
        CompletableFuture<Void> typed = ChatInputReader.start(screen, line -> host.send(line.toMessage()));
        CompletableFuture<Void> over = new CompletableFuture<>();
        Thread listener = new Thread(() -> listen(over), "listener");
        listener.setDaemon(true);
        listener.start();
        try {
            CompletableFuture.anyOf(typed, over).join();
        } catch (CompletionException e) {
            throw ParleyException.unchecked(e);
        }
    }

    private void listen(CompletableFuture<Void> over) {
        try {
            Optional<Message> said = host.receive();
            while (said.isPresent()) {
                screen.show(ChatLine.of(said.get()));
                said = host.receive();
            }
            over.complete(null);
        } catch (InterruptedException | RuntimeException e) {
            over.completeExceptionally(e);
        }
    }
}
