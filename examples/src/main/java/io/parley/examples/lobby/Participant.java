package io.parley.examples.lobby;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.pipes.OutputPipe;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Another one in the room, and the way to it. Used by the room's thread alone. */
final class Participant {

    private final PeerId peer;
    /** What it calls itself; null until it has said so. */
    private @Nullable String introduction;

    /** What it is called here; null until it is here. */
    private @Nullable String name;

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
    String introduction() {
        return introduction;
    }

    void introduce(String value) {
        introduction = value;
    }

    @Nullable
    String name() {
        return name;
    }

    void name(String value) {
        name = value;
    }

    /** Whether somebody has to connect to it. */
    boolean startConnecting() {
        if (connecting || (pipe != null && !pipe.isClosing())) {
            return false;
        }
        connecting = true;
        return true;
    }

    void connected(OutputPipe value) {
        connecting = false;
        pipe = value;
    }

    boolean isConnected() {
        return pipe != null && !pipe.isClosing();
    }

    /**
     * Tells it something, if there is a way.
     *
     * @param lost   hears when it turns out that there is none any more
     * @param missed runs when it reads too slowly, once until it reads again
     */
    void tell(RoomMessage said, Consumer<Throwable> lost, Runnable missed) {
        OutputPipe out = pipe;
        if (out == null) {
            return;
        }
        CompletableFuture<Void> sent = out.send(said.toMessage());
        if (sent.isCompletedExceptionally() && isQueueFull(sent)) {
            if (!slow) {
                slow = true;
                missed.run();
            }
            return;
        }
        slow = false;
        sent.whenComplete((done, failure) -> {
            if (failure != null) {
                lost.accept(ParleyException.unwrap(failure));
            }
        });
    }

    private static boolean isQueueFull(CompletableFuture<Void> sent) {
        return sent.handle((done, failure) -> failure != null
                        && ParleyException.unwrap(failure) instanceof ParleyException known
                        && known.code() == ErrorCode.QUEUE_FULL)
                .join();
    }

    /** Sends what is queued, then gives up the way to it. */
    CompletableFuture<Void> leave() {
        OutputPipe out = pipe;
        pipe = null;
        return out == null ? CompletableFuture.completedFuture(null) : out.closeAsync();
    }
}
