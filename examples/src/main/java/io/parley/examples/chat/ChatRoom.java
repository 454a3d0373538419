package io.parley.examples.chat;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.conversation.ConversationServer;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.PipeTicket;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The host's side of a chat. A guest's first message names it; from then on its messages have an element {@code text},
 * and those of the host {@code name} and {@code text}. A guest that reads too slowly is shown the door, so that nobody
 * has to wait for it.
 */
public final class ChatRoom {

    /** What people do with it, and thereby the topic of its conversations. */
    public static final String TOPIC = "chat";

    private static final int MAX_GUESTS = 64;

    private final String hostName;
    private final ChatScreen screen;
    private final Map<String, Conversation> guests = new ConcurrentHashMap<>();
    private final ConversationServer host;

    /** Opens the room. */
    public ChatRoom(Peer peer, PipeId pipe, String hostName, ChatScreen screen) {
        this.hostName = ChatLine.note(hostName).text();
        this.screen = screen;
        this.host = new ConversationServer(peer, pipe, TOPIC, MAX_GUESTS, this::attend);
    }

    /** What guests need to join. */
    public PipeTicket ticket() {
        return host.ticket();
    }

    /**
     * Lets the host take part until it leaves, which ends the chat for all.
     *
     * @param stay whether the room stays open when the host's input has ended
     */
    public void run(boolean stay) throws InterruptedException {
        CompletableFuture<Void> left = ChatInputReader.start(screen, line -> tell(line.by(hostName), hostName));
        try {
            left.join();
            if (stay) {
                Thread.currentThread().join();
            }
        } catch (CompletionException e) {
            throw ParleyException.unchecked(e);
        } finally {
            close();
        }
    }

    private void close() {
        host.close();
        tell(ChatLine.note(hostName + " has ended the chat"), hostName);
        guests.values().forEach(Conversation::close);
    }

    private void attend(Conversation guest, Message hello) throws InterruptedException {
        String name = admit(guest, ChatLine.of(hello).name());
        announce(name + " is here (" + guest.other().shortText() + ")", name);
        try {
            Optional<Message> said = guest.receive();
            while (said.isPresent()) {
                ChatLine line = ChatLine.of(said.get()).by(name);
                screen.show(line);
                tell(line, name);
                said = guest.receive();
            }
        } finally {
            guests.remove(name);
            announce(name + " has left", name);
        }
    }

    /** Two guests may bear one name; the later one gets a number. */
    private String admit(Conversation guest, String wanted) {
        String base = wanted.isEmpty() ? guest.other().shortText() : wanted;
        String name = base;
        for (int number = 2; name.equals(hostName) || guests.putIfAbsent(name, guest) != null; number++) {
            name = base + "-" + number;
        }
        return name;
    }

    private void announce(String note, String except) {
        ChatLine line = ChatLine.note(note);
        screen.show(line);
        tell(line, except);
    }

    private void tell(ChatLine line, String except) {
        Message message = line.toMessage();
        guests.forEach((name, guest) -> {
            if (!name.equals(except)) {
                tell(guest, message);
            }
        });
    }

    private static void tell(Conversation guest, Message message) {
        try {
            if (!guest.offer(message)) {
                guest.fail(ErrorCode.LIMIT_EXCEEDED.exception("too slow to follow the chat"));
            }
        } catch (ParleyException e) {
            // The thread that attends to this guest notices it as well and announces that it has left.
        }
    }
}
