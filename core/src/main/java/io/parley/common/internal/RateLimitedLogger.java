package io.parley.common.internal;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * For implementations: tells of what others do wrong, a line a minute at most, so that they can't fill the log with it.
 * What comes in between is logged for debugging, and its number told with the next line. Thread-safe.
 */
public final class RateLimitedLogger {

    private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

    private final Logger log;
    private final LongSupplier nanoTime;
    private final AtomicLong toldNanos;
    private final AtomicLong untold = new AtomicLong();

    /** One for lines of a kind. */
    public RateLimitedLogger(Logger log) {
        this(log, System::nanoTime);
    }

    RateLimitedLogger(Logger log, LongSupplier nanoTime) {
        this.log = log;
        this.nanoTime = nanoTime;
        this.toldNanos = new AtomicLong(nanoTime.getAsLong() - PAUSE_NANOS);
    }

    /** As {@link Logger#warn(String, Object...)}, when it is time for a line. */
    public void warn(String format, @Nullable Object... arguments) {
        tell(Level.WARN, format, arguments);
    }

    /** As {@link Logger#info(String, Object...)}, when it is time for a line: of what those who mean well may do as well. */
    public void info(String format, @Nullable Object... arguments) {
        tell(Level.INFO, format, arguments);
    }

    private void tell(Level level, String format, @Nullable Object... arguments) {
        long now = nanoTime.getAsLong();
        long last = toldNanos.get();
        if (now - last < PAUSE_NANOS || !toldNanos.compareAndSet(last, now)) {
            untold.incrementAndGet();
            log.debug(format, arguments);
            return;
        }
        long more = untold.getAndSet(0);
        log.atLevel(level)
                .log(
                        more == 0 ? format : format + " (and " + more + " more since the last line of this kind)",
                        arguments);
    }
}
