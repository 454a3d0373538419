package io.parley.sockets;

import java.io.InterruptedIOException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The wait of one thread at a time for a condition, in the manner of the JDK's sockets: an interrupt ends the wait of a virtual thread
 * only. The signal needs no lock, so the event loop that brings the bytes wakes the reader directly.
 */
final class SocketWait {

    private final BooleanSupplier condition;
    private volatile @Nullable Thread waiting;

    /** @param condition must be true after the change that {@link #signal} follows */
    SocketWait(BooleanSupplier condition) {
        this.condition = condition;
    }

    /** Wakes the thread that waits, which checks the condition. */
    void signal() {
        Thread thread = waiting;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    /**
     * Waits until the condition is true.
     *
     * @return false if the deadline has passed
     * @throws InterruptedIOException if a virtual thread is interrupted, which stays so
     */
    boolean await(SocketDeadline deadline) throws InterruptedIOException {
        if (condition.getAsBoolean()) {
            return true;
        }
        Thread current = Thread.currentThread();
        boolean interrupted = false;
        waiting = current; // before the condition is read again, so that no signal is missed
        try {
            while (!condition.getAsBoolean()) {
                if (deadline.isLimited()) {
                    long left = deadline.nanosLeft();
                    if (left <= 0) {
                        return false;
                    }
                    LockSupport.parkNanos(this, left);
                } else {
                    LockSupport.park(this);
                }
                if (Thread.interrupted()) {
                    interrupted = true;
                    if (VirtualThreads.isVirtual(current)) {
                        throw new InterruptedIOException("interrupted");
                    }
                }
            }
            return true;
        } finally {
            waiting = null;
            if (interrupted) {
                current.interrupt();
            }
        }
    }
}
