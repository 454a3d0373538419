package io.parley.examples.lobby;

import io.parley.common.AsyncCloseable;
import io.parley.examples.chat.ChatInputReader;
import io.parley.examples.chat.ChatLine;
import io.parley.examples.chat.ChatScreen;
import io.parley.examples.console.Futures;
import io.parley.group.PeerGroup;
import io.parley.pipes.InputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A chat room without a host. Each participant holds an input pipe with the name of the room and is found by it; peer ids
 * distinguish the holders. A participant sends each line to all others directly, so the chat does not depend on any of
 * them.
 */
public final class Lobby implements AutoCloseable {

    /** The default group of rooms. */
    public static final String GROUP = "chat";

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final String name;
    private final ChatScreen screen;
    private final ScheduledExecutorService thread = newRoomThread();
    private final ParticipantRegistry participants;
    private final InputPipe pipe;
    private final AsyncCloseable connectionListener;
    private final ParticipantFinder finder;

    /** Joins a room. */
    public Lobby(PeerGroup group, String room, String name, ChatScreen screen) {
        this.name = ChatLine.note(name).text();
        this.screen = screen;
        Pipes pipes = Pipes.of(group);
        this.participants =
                new ParticipantRegistry(group, pipes.pipeId(room), new ChatLine(name, "").name(), screen::show, thread);
        this.connectionListener = group.endpoint().addPeerConnectionListener(participants);
        this.pipe = pipes.listen(room, this::onMessage, thread);
        this.finder = new ParticipantFinder(
                group.discovery(), pipe.id(), ParticipantRegistry.MAX, thread, participants::onFound);
    }

    /** Runs on the room's thread, so a participant that sends faster than that is stopped. */
    private void onMessage(PipeMessage message) {
        RoomMessage.of(message.message()).ifPresent(received -> participants.onMessage(message.from(), received));
    }

    /**
     * Runs the chat until the user leaves.
     *
     * @param end a future whose completion ends the chat as well
     */
    public void run(CompletableFuture<Void> end) {
        CompletableFuture<Void> left = ChatInputReader.start(
                screen, line -> thread.execute(() -> participants.sendToAll(RoomMessage.line(line.withName(name)))));
        Futures.join(CompletableFuture.anyOf(left, end));
    }

    /** Leaves the room and notifies the other participants. */
    @Override
    public void close() {
        connectionListener.closeAsync();
        CompletableFuture<Void> left = new CompletableFuture<>();
        thread.execute(() -> {
            finder.close();
            participants.close().whenComplete((done, failure) -> left.complete(null));
        });
        left.completeOnTimeout(null, CLOSE_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)
                .join();
        pipe.closeAsync();
        thread.shutdown();
    }

    /**
     * Creates the single thread that updates the participants, so that they need no lock. Tasks after the shutdown are
     * dropped.
     */
    private static ScheduledExecutorService newRoomThread() {
        ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(
                1,
                task -> {
                    Thread thread = new Thread(task, "room");
                    thread.setDaemon(true);
                    return thread;
                },
                new ThreadPoolExecutor.DiscardPolicy());
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return executor;
    }
}
