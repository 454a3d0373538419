package io.parley.transport.tcp;

import io.netty.channel.ChannelPromise;
import io.parley.transport.Connection.WriteListener;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Notifies the listeners of writes in the order of the frames. Netty does not guarantee this order: it defers the notification
 * of a write that completes during many nested notifications. Must be used on the event loop.
 */
final class WriteCompletionQueue {

    /** Small, because the queue of an idle connection is empty. */
    private static final int INITIAL_CAPACITY = 2;

    private final UnaryOperator<@Nullable Throwable> translation;
    private final Queue<PendingWrite> pending = new ArrayDeque<>(INITIAL_CAPACITY);

    private static final class PendingWrite {
        private final WriteListener listener;
        private boolean done;
        private @Nullable Throwable failure;

        private PendingWrite(WriteListener listener) {
            this.listener = listener;
        }
    }

    /** @param translation converts the failure of a channel to the failure for the listener */
    WriteCompletionQueue(UnaryOperator<@Nullable Throwable> translation) {
        this.translation = translation;
    }

    /**
     * Adds a listener, which is notified after the write is done and all earlier listeners were notified. Must be called before
     * the write begins, because the write may call a writer that writes more.
     */
    void add(ChannelPromise promise, WriteListener listener) {
        PendingWrite write = new PendingWrite(listener);
        pending.add(write);
        promise.addListener(future -> {
            write.done = true;
            write.failure = translation.apply(future.cause());
            dispatch();
        });
    }

    private void dispatch() {
        for (PendingWrite next = pending.peek(); next != null && next.done; next = pending.peek()) {
            pending.remove();
            next.listener.onWritten(next.failure);
        }
    }
}
