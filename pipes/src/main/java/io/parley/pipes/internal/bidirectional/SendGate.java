package io.parley.pipes.internal.bidirectional;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Lets sends pass until it is closed. The action of the close runs once, after the sends that have passed, so that it can queue the
 * last message. Thread-safe, without a lock.
 */
final class SendGate {

    private static final int CLOSED = Integer.MIN_VALUE;

    /** The number of sends in progress, plus {@link #CLOSED}. */
    private final AtomicInteger state = new AtomicInteger();

    private volatile @Nullable Runnable action;

    boolean isOpen() {
        return state.get() >= 0;
    }

    /** Begins a send, which {@link #leave} must follow. Returns false if the gate is closed. */
    boolean tryEnter() {
        int present = state.get();
        while (present >= 0) {
            if (state.compareAndSet(present, present + 1)) {
                return true;
            }
            present = state.get();
        }
        return false;
    }

    void leave() {
        if (state.decrementAndGet() == CLOSED) {
            runAction();
        }
    }

    /** Closes the gate and runs the action after the sends in progress. Returns false if the gate was closed before. */
    synchronized boolean close(Runnable then) {
        if (!isOpen()) {
            return false;
        }
        action = then;
        if (state.getAndAdd(CLOSED) == 0) {
            runAction();
        }
        return true;
    }

    private void runAction() {
        Runnable then = action;
        if (then != null) {
            then.run();
        }
    }
}
