package io.parley.resolver;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * For implementations: tells of what others do wrong, a warning a minute at most, so that they can't fill the log with it.
 * What comes in between is logged for debugging, and its number told with the next warning. Thread-safe.
 */
public final class SparseLog {

    private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

    private final Logger log;
    private final LongSupplier nanoTime;
    private final AtomicLong warnedNanos;
    private final AtomicLong untold = new AtomicLong();

    /** One for warnings of a kind. */
    public SparseLog(Logger log) {
        this(log, System::nanoTime);
    }

    SparseLog(Logger log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
        this.warnedNanos = new AtomicLong(nanoTime.getAsLong() - PAUSE_NANOS);
    }

    /** As {@link Logger#warn(String, Object...)}, when it is time for a warning. */
    public void warn(String format, @Nullable Object... arguments) {
        long now = nanoTime.getAsLong();
        long last = warnedNanos.get();
        if (now - last < PAUSE_NANOS || !warnedNanos.compareAndSet(last, now)) {
            untold.incrementAndGet();
            log.debug(format, arguments);
            return;
        }
        long more = untold.getAndSet(0);
        log.warn(
                more == 0 ? format : format + " (and " + more + " more since the last warning of this kind)",
                arguments);
    }
}
