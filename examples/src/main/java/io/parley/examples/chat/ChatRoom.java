package io.parley.examples.chat;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.console.Futures;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.conversation.ConversationServer;
import io.parley.examples.search.PeerNames;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.PipeTicket;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The host's part of a hosted chat. The first message of a guest contains its name. The further messages of a guest have an
 * element {@code text}; those of the host have {@code name} and {@code text}. The host disconnects a guest that reads too
 * slowly, so that the other participants need not wait for it. Thread-safe.
 */
public final class ChatRoom {

    /** The topic of the conversations: the name of the command that joins them. */
    public static final String TOPIC = "chat";

    private static final int MAX_GUESTS = 64;

    private final String hostName;
    private final ChatScreen screen;
    private final Map<String, Conversation> guests = new ConcurrentHashMap<>();
    private final ConversationServer server;
    private final String hostNote;

    /** Opens a room. */
    public ChatRoom(Peer peer, PipeId pipe, String hostName, ChatScreen screen) {
        this.hostName = new ChatLine(hostName, "").name();
        this.screen = screen;
        this.hostNote = PeerNames.withId(this.hostName, peer.id()) + " hosts this room";
        this.server = new ConversationServer(peer, pipe, TOPIC, MAX_GUESTS, this::serve);
    }

    /** Returns the ticket for guests. */
    public PipeTicket ticket() {
        return server.ticket();
    }

    /**
     * Runs the chat until the host leaves, which ends it for all guests.
     *
     * @param stay whether the room stays open after the end of the host's input
     */
    public void run(boolean stay) throws InterruptedException {
        CompletableFuture<Void> left =
                ChatInputReader.start(screen, line -> sendToOthers(line.withName(hostName), hostName));
        try {
            Futures.join(left);
            if (stay) {
                Thread.currentThread().join();
            }
        } finally {
            close();
        }
    }

    private void close() {
        server.close();
        sendToOthers(ChatLine.note(hostName + " has ended the chat"), hostName);
        guests.values().forEach(Conversation::close);
    }

    private void serve(Conversation guest, Message hello) throws InterruptedException {
        String name = admit(guest, ChatLine.of(hello).name());
        send(guest, ChatLine.note(hostNote).toMessage());
        guests.forEach((other, conversation) -> {
            if (conversation != guest) {
                send(guest, ChatLine.note(hereNote(other, conversation)).toMessage());
            }
        });
        announce(hereNote(name, guest), name);
        try {
            Optional<Message> message = guest.receive();
            while (message.isPresent()) {
                ChatLine line = ChatLine.of(message.get()).withName(name);
                screen.show(line);
                sendToOthers(line, name);
                message = guest.receive();
            }
        } finally {
            guests.remove(name);
            announce(name + " has left", name);
        }
    }

    private static String hereNote(String name, Conversation guest) {
        return name + " is here (" + guest.other().shortText() + ")";
    }

    /** Adds a guest and returns its name. If the name is in use, the guest gets a number. */
    private String admit(Conversation guest, String wanted) {
        String base = wanted.isEmpty() ? guest.other().shortText() : wanted;
        String name = base;
        for (int number = 2; name.equals(hostName) || guests.putIfAbsent(name, guest) != null; number++) {
            name = ChatLine.numbered(base, number);
        }
        return name;
    }

    private void announce(String note, String except) {
        ChatLine line = ChatLine.note(note);
        screen.show(line);
        sendToOthers(line, except);
    }

    private void sendToOthers(ChatLine line, String except) {
        Message message = line.toMessage();
        guests.forEach((name, guest) -> {
            if (!name.equals(except)) {
                send(guest, message);
            }
        });
    }

    private static void send(Conversation guest, Message message) {
        try {
            if (!guest.offer(message)) {
                guest.fail(ErrorCode.LIMIT_EXCEEDED.exception("too slow to follow the chat"));
            }
        } catch (ParleyException e) {
            // The thread that serves this guest detects the same failure and announces that the guest has left.
        }
    }
}
