package io.parley.transport.tcp;

import io.netty.channel.ChannelPromise;
import io.parley.transport.Connection.WriteListener;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Tells the writers of frames in the order of the frames. Netty does not always: what completes while many listeners are
 * being told is told later. Belongs to one event loop.
 */
final class WriteCompletionQueue {

    private final UnaryOperator<@Nullable Throwable> translation;
    private final Queue<PendingWrite> entries = new ArrayDeque<>();

    private static final class PendingWrite {
        private final WriteListener listener;
        private boolean done;
        private @Nullable Throwable failure;

        private PendingWrite(WriteListener listener) {
            this.listener = listener;
        }
    }

    /** @param translation makes of a channel's failure what the listener gets */
    WriteCompletionQueue(UnaryOperator<@Nullable Throwable> translation) {
        this.translation = translation;
    }

    /**
     * Tells the listener when the write is done and all before it have been told. To be called before the write begins, as
     * that may run a writer that writes more.
     */
    void add(ChannelPromise write, WriteListener listener) {
        PendingWrite entry = new PendingWrite(listener);
        entries.add(entry);
        write.addListener(future -> {
            entry.done = true;
            entry.failure = translation.apply(future.cause());
            tell();
        });
    }

    private void tell() {
        for (PendingWrite next = entries.peek(); next != null && next.done; next = entries.peek()) {
            entries.remove();
            next.listener.onWritten(next.failure);
        }
    }
}
