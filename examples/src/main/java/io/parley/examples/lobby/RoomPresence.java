package io.parley.examples.lobby;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.conversation.ConversationServer;
import io.parley.group.PeerGroup;
import io.parley.message.Message;
import java.time.Duration;

/** Tells those who know the name of this peer in which room it is, until it is closed. */
public final class RoomPresence implements AutoCloseable {

    private static final String TOPIC = "chat --with";
    private static final String ROOM = "room";
    private static final int MAX_GUESTS = 16;

    private final ConversationServer host;

    /** Begins. */
    public RoomPresence(Peer peer, PeerGroup group, String room) {
        this.host = new ConversationServer(
                peer, group, null, TOPIC, MAX_GUESTS, (guest, hello) -> guest.send(Message.of(ROOM, room)));
    }

    /**
     * The room in which the peer is that bears that name, or has that id.
     *
     * @throws ParleyException {@link ErrorCode#UNREACHABLE} when there is none in a room
     * @throws io.parley.examples.console.CommandFailedException when there are several
     */
    public static String of(Peer peer, PeerGroup group, String other, Duration timeout) throws InterruptedException {
        try (Conversation asked = Conversation.joinPeer(peer, group, other, TOPIC, Message.EMPTY, timeout)) {
            return asked.receive()
                    .flatMap(answer -> answer.text(ROOM))
                    .orElseThrow(() -> ErrorCode.PROTOCOL_VIOLATION.exception("the other side names no room"));
        }
    }

    @Override
    public void close() {
        host.close();
    }
}
