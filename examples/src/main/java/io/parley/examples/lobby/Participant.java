package io.parley.examples.lobby;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.console.Futures;
import io.parley.id.PeerId;
import io.parley.pipes.OutputPipe;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Another participant of a room and the output pipe to it. Must be used on the room's thread. */
final class Participant {

    private final PeerId peer;
    /** The name that the participant has given itself; {@code null} until it is received. */
    private @Nullable String requestedName;

    /** The displayed name, unique in the room; {@code null} until the participant is announced. */
    private @Nullable String displayName;

    private @Nullable OutputPipe pipe;
    private boolean connecting;
    private boolean slow;

    Participant(PeerId peer) {
        this.peer = peer;
    }

    PeerId peer() {
        return peer;
    }

    @Nullable
    String requestedName() {
        return requestedName;
    }

    void setRequestedName(String value) {
        requestedName = value;
    }

    @Nullable
    String displayName() {
        return displayName;
    }

    void setDisplayName(String value) {
        displayName = value;
    }

    /** Returns whether the caller must connect a pipe; {@code false} while a pipe is open or being connected. */
    boolean startConnecting() {
        if (connecting || (pipe != null && !pipe.isClosing())) {
            return false;
        }
        connecting = true;
        return true;
    }

    void onConnected(OutputPipe value) {
        connecting = false;
        pipe = value;
    }

    boolean isConnected() {
        return pipe != null && !pipe.isClosing();
    }

    /**
     * Sends a message if a pipe is connected.
     *
     * @param onFailure receives the failure if the message cannot be delivered
     * @param onDropped runs if the queue is full; once until the queue has room again
     */
    void send(RoomMessage message, Consumer<Throwable> onFailure, Runnable onDropped) {
        OutputPipe out = pipe;
        if (out == null) {
            return;
        }
        CompletableFuture<Void> sent = out.send(message.toMessage());
        if (sent.isCompletedExceptionally() && isQueueFull(sent)) {
            if (!slow) {
                slow = true;
                onDropped.run();
            }
            return;
        }
        slow = false;
        sent.whenComplete((done, failure) -> {
            if (failure != null) {
                onFailure.accept(Futures.unwrap(failure));
            }
        });
    }

    private static boolean isQueueFull(CompletableFuture<Void> sent) {
        return Futures.failureOf(sent) instanceof ParleyException failure && failure.code() == ErrorCode.QUEUE_FULL;
    }

    /** Closes the pipe after all queued messages have been sent. */
    CompletableFuture<Void> leave() {
        OutputPipe out = pipe;
        pipe = null;
        return out == null ? CompletableFuture.completedFuture(null) : out.closeAsync();
    }
}
