package io.parley.examples.lobby;

import io.parley.common.AsyncCloseable;
import io.parley.error.ParleyException;
import io.parley.examples.chat.ChatInputReader;
import io.parley.examples.chat.ChatLine;
import io.parley.examples.chat.ChatScreen;
import io.parley.group.PeerGroup;
import io.parley.pipes.InputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A chat room that nobody hosts. Everybody in it holds an input pipe of the same name, the room's, and is found by it; the
 * holders are told apart by their peer ids. A line goes to each of the others directly, so nobody's end ends the chat.
 */
public final class Lobby implements AutoCloseable {

    /** The group in which rooms are, unless another one is named. */
    public static final String GROUP = "chat";

    private static final Duration FAREWELL = Duration.ofSeconds(2);

    private final String name;
    private final ChatScreen screen;
    private final ScheduledExecutorService thread = RoomExecutorFactory.start();
    private final ParticipantRegistry participants;
    private final InputPipe pipe;
    private final AsyncCloseable watching;
    private final ParticipantFinder search;

    /** Enters the room. */
    public Lobby(PeerGroup group, String room, String name, ChatScreen screen) {
        this.name = ChatLine.note(name).text();
        this.screen = screen;
        Pipes pipes = Pipes.of(group);
        this.participants =
                new ParticipantRegistry(group, pipes.pipeId(room), new ChatLine(name, "").name(), screen::show, thread);
        this.watching = group.endpoint().addPeerConnectionListener(participants);
        this.pipe = pipes.listen(room, this::onMessage);
        this.search = new ParticipantFinder(
                group.discovery(), pipe.id(), ParticipantRegistry.MAX, thread, participants::found);
    }

    private void onMessage(PipeMessage message) {
        RoomMessage.of(message.message())
                .ifPresent(said -> thread.execute(() -> participants.said(message.from(), said)));
    }

    /**
     * Takes part until this peer's user leaves.
     *
     * @param end makes it return as well
     */
    public void run(CompletableFuture<Void> end) {
        CompletableFuture<Void> left = ChatInputReader.start(
                screen, line -> thread.execute(() -> participants.tellAll(RoomMessage.line(line.by(name)))));
        try {
            CompletableFuture.anyOf(left, end).join();
        } catch (CompletionException e) {
            throw ParleyException.unchecked(e);
        }
    }

    /** Says goodbye to all. */
    @Override
    public void close() {
        watching.closeAsync();
        CompletableFuture<Void> left = new CompletableFuture<>();
        thread.execute(() -> {
            search.close();
            participants.close().whenComplete((done, failure) -> left.complete(null));
        });
        left.completeOnTimeout(null, FAREWELL.toNanos(), TimeUnit.NANOSECONDS).join();
        pipe.closeAsync();
        thread.shutdown();
    }
}
