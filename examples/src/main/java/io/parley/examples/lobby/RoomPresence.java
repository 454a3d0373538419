package io.parley.examples.lobby;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.conversation.ConversationServer;
import io.parley.group.PeerGroup;
import io.parley.message.Message;
import java.time.Duration;

/** Serves the name of this peer's room to peers that know the name of this peer. */
public final class RoomPresence implements AutoCloseable {

    static final String TOPIC = "chat --with";
    private static final String ROOM = "room";
    private static final int MAX_GUESTS = 16;

    private final ConversationServer server;

    /** Starts to serve the name of the room. */
    public RoomPresence(Peer peer, PeerGroup group, String room) {
        this.server = new ConversationServer(
                peer, group, null, TOPIC, MAX_GUESTS, (guest, hello) -> guest.send(Message.of(ROOM, room)));
    }

    /**
     * Returns the name of another peer's room. The peer is given by its name or id.
     *
     * @throws ParleyException {@link ErrorCode#UNREACHABLE} if no peer in a room has responded; {@link ErrorCode#TIMEOUT} if a peer has
     *     accepted and said nothing
     * @throws io.parley.examples.console.CommandFailedException if several peers with that name have responded
     */
    public static String find(Peer peer, PeerGroup group, String other, Duration timeout) throws InterruptedException {
        try (Conversation conversation = Conversation.joinPeer(peer, group, other, TOPIC, Message.EMPTY, timeout)) {
            return conversation
                    .receive(timeout)
                    .flatMap(response -> response.text(ROOM))
                    .orElseThrow(() -> ErrorCode.PROTOCOL_VIOLATION.exception(
                            "element " + ROOM + " is missing (expected: the name of a room)"));
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
