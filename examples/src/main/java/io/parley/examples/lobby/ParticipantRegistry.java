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
 * Who is in the room besides this peer. Whoever is found, or says hello, gets a pipe of its own and is told hello; once it
 * has said its name it is here, until it says goodbye or its connection is lost and does not come back. Everything but the
 * presence listener's methods runs on the room's thread.
 */
final class ParticipantRegistry implements PeerConnectionListener {

    private static final Logger log = LoggerFactory.getLogger(ParticipantRegistry.class);

    static final int MAX = 256;

    /** How long somebody whose connection is lost may take to come back before it has left. */
    private static final Duration GRACE = Duration.ofSeconds(3);

    private final PeerGroup group;
    private final PipeId pipe;
    private final String ownName;
    private final Consumer<ChatLine> show;
    private final ScheduledExecutorService thread;
    private final Map<PeerId, Participant> byPeer = new LinkedHashMap<>();
    private boolean closed;

    ParticipantRegistry(
            PeerGroup group, PipeId pipe, String ownName, Consumer<ChatLine> show, ScheduledExecutorService thread) {
        this.group = group;
        this.pipe = pipe;
        this.ownName = ownName;
        this.show = show;
        this.thread = thread;
    }

    /** Somebody seems to be in the room. */
    void found(PeerId peer) {
        if (!peer.equals(group.endpoint().peerId())) {
            participant(peer);
        }
    }

    /** Makes the acquaintance of somebody; null when there are too many. */
    private @Nullable Participant participant(PeerId peer) {
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
                        .connectAsync(participant.peer(), pipe, group.endpoint().limits().reconnectTimeout()))
                .whenCompleteAsync(
                        (out, failure) -> {
                            if (out == null) {
                                log.debug("{} can't be connected to", participant.peer(), failure);
                                gone(participant);
                            } else {
                                connected(participant, out);
                            }
                        },
                        thread);
    }

    private void connected(Participant participant, OutputPipe out) {
        if (closed || byPeer.get(participant.peer()) != participant) {
            out.closeAsync();
            return;
        }
        participant.connected(out);
        tell(participant, RoomMessage.of(RoomMessage.Kind.HELLO, ownName));
        announceWhenReady(participant);
    }

    /** Somebody has said something. */
    void said(PeerId from, RoomMessage said) {
        if (said.kind() == RoomMessage.Kind.BYE) {
            Participant known = byPeer.get(from);
            if (known != null) {
                gone(known);
            }
            return;
        }
        Participant participant = participant(from);
        if (participant == null) {
            return;
        }
        participant.introduce(said.line().name());
        if (said.kind() == RoomMessage.Kind.LINE) {
            show.accept(said.line().by(here(participant)));
            return;
        }
        announceWhenReady(participant);
        if (said.kind() == RoomMessage.Kind.HELLO && participant.isConnected()) {
            // A pipe that is still to be connected says hello by itself.
            tell(participant, RoomMessage.of(RoomMessage.Kind.WELCOME, ownName));
        }
    }

    /** Who is said to be here hears what is said from then on, so there has to be a way to it. */
    private void announceWhenReady(Participant participant) {
        if (participant.isConnected() && participant.introduction() != null) {
            here(participant);
        }
    }

    private String here(Participant participant) {
        String known = participant.name();
        if (known != null) {
            return known;
        }
        String wanted = participant.introduction();
        String name =
                free(wanted == null || wanted.isEmpty() ? participant.peer().shortText() : wanted);
        participant.name(name);
        show.accept(ChatLine.note(name + " is here (" + participant.peer().shortText() + ")"));
        return name;
    }

    /** Two may bear one name; the later one gets a number, which others may see differently. */
    private String free(String base) {
        Set<String> taken = new HashSet<>(Set.of(ownName));
        byPeer.values().forEach(other -> {
            if (other.name() != null) {
                taken.add(other.name());
            }
        });
        String name = base;
        for (int number = 2; taken.contains(name); number++) {
            name = base + "-" + number;
        }
        return name;
    }

    /** Tells everybody. */
    void tellAll(RoomMessage said) {
        List.copyOf(byPeer.values()).forEach(participant -> tell(participant, said));
    }

    private void tell(Participant participant, RoomMessage said) {
        participant.tell(
                said,
                failure -> thread.execute(() -> {
                    log.debug("{} is lost", participant.peer(), failure);
                    gone(participant);
                }),
                () -> show.accept(ChatLine.note(participant.name() + " reads too slowly and misses lines")));
    }

    private void gone(Participant participant) {
        if (!byPeer.remove(participant.peer(), participant)) {
            return;
        }
        participant.leave();
        if (participant.name() != null && !closed) {
            show.accept(ChatLine.note(participant.name() + " has left"));
        }
    }

    @Override
    public void onDisconnected(PeerId peer) {
        thread.execute(() -> {
            Participant participant = byPeer.get(peer);
            if (participant != null && participant.name() != null) {
                // Whether it is there still, an attempt to connect tells.
                group.endpoint().connect(peer);
                thread.schedule(() -> leaveUnlessBack(participant), GRACE.toNanos(), TimeUnit.NANOSECONDS);
            }
        });
    }

    private void leaveUnlessBack(Participant participant) {
        if (!group.endpoint().connectedPeers().contains(participant.peer())) {
            gone(participant);
        }
    }

    /** Says goodbye to all; completes when it has been sent. */
    CompletableFuture<Void> close() {
        closed = true;
        tellAll(RoomMessage.of(RoomMessage.Kind.BYE, ownName));
        CompletableFuture<?>[] leaving =
                byPeer.values().stream().map(Participant::leave).toArray(CompletableFuture<?>[]::new);
        byPeer.clear();
        return CompletableFuture.allOf(leaving);
    }
}
