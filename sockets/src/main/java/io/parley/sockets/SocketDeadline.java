package io.parley.sockets;

import io.parley.common.Scheduler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The time at which a call of a socket gives up. It includes the waits for other threads in the same call, as in the JDK's sockets. In
 * system time, because a thread waits.
 *
 * @param isLimited false if the call has no timeout
 * @param nanoTime  with the meaning of {@link System#nanoTime()}
 */
record SocketDeadline(boolean isLimited, long nanoTime) {

    /** Of a call without a timeout. */
    static final SocketDeadline NONE = new SocketDeadline(false, 0);

    /** @param timeout zero for none */
    static SocketDeadline after(Duration timeout) {
        return timeout.isZero()
                ? NONE
                : new SocketDeadline(true, Scheduler.system().nanoTime() + timeout.toNanos());
    }

    /** Returns the time that is left; zero or less if there is none. */
    long nanosLeft() {
        return isLimited ? nanoTime - Scheduler.system().nanoTime() : Long.MAX_VALUE;
    }

    /** Waits for the lock. An interrupt does not end the wait, and stays. Returns false, without the lock, if the time has passed. */
    boolean tryLock(ReentrantLock lock) {
        if (!isLimited) {
            lock.lock();
            return true;
        }
        boolean locked = lock.tryLock();
        boolean interrupted = false;
        for (long left = nanosLeft(); !locked && left > 0; left = nanosLeft()) {
            try {
                locked = lock.tryLock(left, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return locked;
    }
}
