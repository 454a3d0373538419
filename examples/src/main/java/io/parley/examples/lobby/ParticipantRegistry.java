package io.parley.examples.lobby;

import io.parley.endpoint.PeerConnectionListener;
import io.parley.examples.chat.ChatLine;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.Pipes;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The other participants of a room. A peer that is found, or that sends HELLO, gets a pipe of its own and a HELLO. It is
 * announced after its name has arrived, and remains until it sends BYE, or until its connection is lost and not restored.
 * All methods except those of the connection listener must be called on the room's thread.
 */
final class ParticipantRegistry implements PeerConnectionListener {

    private static final Logger log = LoggerFactory.getLogger(ParticipantRegistry.class);

    static final int MAX = 256;

    /** The time in which a participant may restore a lost connection. */
    private static final Duration RECONNECT_TIMEOUT = Duration.ofSeconds(3);

    private final PeerGroup group;
    private final PipeId pipe;
    private final String ownName;
    private final Consumer<ChatLine> screen;
    private final ScheduledExecutorService thread;
    private final Map<PeerId, Participant> byPeer = new LinkedHashMap<>();
    private boolean closed;

    ParticipantRegistry(
            PeerGroup group, PipeId pipe, String ownName, Consumer<ChatLine> screen, ScheduledExecutorService thread) {
        this.group = group;
        this.pipe = pipe;
        this.ownName = ownName;
        this.screen = screen;
        this.thread = thread;
    }

    /** Handles a peer that holds the room's pipe. */
    void onFound(PeerId peer) {
        if (!peer.equals(group.endpoint().peerId())) {
            getOrAdd(peer);
        }
    }

    /** Returns the participant of a peer, which is added and connected if necessary; {@code null} if the room is full. */
    private @Nullable Participant getOrAdd(PeerId peer) {
        Participant participant = byPeer.get(peer);
        if (participant == null) {
            if (closed || byPeer.size() >= MAX) {
                return null;
            }
            participant = new Participant(peer);
            byPeer.put(peer, participant);
        }
        if (participant.startConnecting()) {
            connect(participant);
        }
        return participant;
    }

    private void connect(Participant participant) {
        group.locate(participant.peer())
                .thenCompose(located -> Pipes.of(group)
                        .connectAsync(
                                participant.peer(),
                                pipe,
                                group.endpoint().limits().reconnectTimeout()))
                .whenCompleteAsync(
                        (out, failure) -> {
                            if (out == null) {
                                log.debug("Cannot connect to participant {}", participant.peer(), failure);
                                remove(participant);
                            } else {
                                onConnected(participant, out);
                            }
                        },
                        thread);
    }

    private void onConnected(Participant participant, OutputPipe out) {
        if (closed || byPeer.get(participant.peer()) != participant) {
            out.closeAsync();
            return;
        }
        participant.onConnected(out);
        send(participant, RoomMessage.of(RoomMessage.Kind.HELLO, ownName));
        announceWhenReady(participant);
    }

    /** Handles a message of a participant. */
    void onMessage(PeerId from, RoomMessage message) {
        if (message.kind() == RoomMessage.Kind.BYE) {
            Participant known = byPeer.get(from);
            if (known != null) {
                remove(known);
            }
            return;
        }
        Participant participant = getOrAdd(from);
        if (participant == null) {
            return;
        }
        participant.setRequestedName(message.line().name());
        if (message.kind() == RoomMessage.Kind.LINE) {
            screen.accept(message.line().withName(announce(participant)));
            return;
        }
        announceWhenReady(participant);
        if (message.kind() == RoomMessage.Kind.HELLO && participant.isConnected()) {
            // A pipe that is being connected sends HELLO afterwards.
            send(participant, RoomMessage.of(RoomMessage.Kind.WELCOME, ownName));
        }
    }

    /** Announces a participant only after its pipe is connected, so that it receives all lines after the announcement. */
    private void announceWhenReady(Participant participant) {
        if (participant.isConnected() && participant.requestedName() != null) {
            announce(participant);
        }
    }

    /** Announces a participant if that has not been done, and returns its displayed name. */
    private String announce(Participant participant) {
        String known = participant.displayName();
        if (known != null) {
            return known;
        }
        String wanted = participant.requestedName();
        String name = unusedName(
                wanted == null || wanted.isEmpty() ? participant.peer().shortText() : wanted);
        participant.setDisplayName(name);
        screen.accept(ChatLine.note(name + " is here (" + participant.peer().shortText() + ")"));
        return name;
    }

    /** Returns a name that is not in use. A number makes it unique, which may differ at other participants. */
    private String unusedName(String base) {
        Set<String> taken = new HashSet<>(Set.of(ownName));
        byPeer.values().forEach(other -> {
            if (other.displayName() != null) {
                taken.add(other.displayName());
            }
        });
        String name = base;
        for (int number = 2; taken.contains(name); number++) {
            name = ChatLine.numbered(base, number);
        }
        return name;
    }

    /** Sends a message to all participants. */
    void sendToAll(RoomMessage message) {
        List.copyOf(byPeer.values()).forEach(participant -> send(participant, message));
    }

    private void send(Participant participant, RoomMessage message) {
        participant.send(
                message,
                failure -> thread.execute(() -> {
                    log.debug("Lost participant {}", participant.peer(), failure);
                    remove(participant);
                }),
                () -> screen.accept(ChatLine.note(participant.displayName() + " reads too slowly and misses lines")));
    }

    private void remove(Participant participant) {
        if (!byPeer.remove(participant.peer(), participant)) {
            return;
        }
        participant.leave();
        if (participant.displayName() != null && !closed) {
            screen.accept(ChatLine.note(participant.displayName() + " has left"));
        }
    }

    @Override
    public void onDisconnected(PeerId peer) {
        thread.execute(() -> {
            Participant participant = byPeer.get(peer);
            if (participant != null && participant.displayName() != null) {
                // The attempt to reconnect shows whether the peer still runs.
                group.endpoint().connect(peer);
                thread.schedule(
                        () -> removeIfDisconnected(participant), RECONNECT_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS);
            }
        });
    }

    private void removeIfDisconnected(Participant participant) {
        if (!group.endpoint().isConnected(participant.peer())) {
            remove(participant);
        }
    }

    /** Sends BYE to all participants. The future completes after it has been sent. */
    CompletableFuture<Void> close() {
        closed = true;
        sendToAll(RoomMessage.of(RoomMessage.Kind.BYE, ownName));
        CompletableFuture<?>[] leaving =
                byPeer.values().stream().map(Participant::leave).toArray(CompletableFuture<?>[]::new);
        byPeer.clear();
        return CompletableFuture.allOf(leaving);
    }
}
