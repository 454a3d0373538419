package io.parley.common.internal;

import io.parley.common.Scheduler;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Logs events that remote peers cause, at most one line per minute, so that a remote peer cannot fill the log. Events in
 * between are logged at debug level. The next line contains their number. The arguments may contain text of remote peers:
 * they are {@linkplain TextSanitizer sanitized}. Thread-safe.
 */
public final class RateLimitedLogger {

    private static final long INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

    private final Logger log;
    private final Scheduler scheduler;
    private final AtomicLong loggedNanos;
    private final AtomicLong suppressed = new AtomicLong();

    /** Creates a logger for one kind of event, in system time. */
    public RateLimitedLogger(Logger log) {
        this(log, Scheduler.system());
    }

    /** Creates a logger for one kind of event. */
    public RateLimitedLogger(Logger log, Scheduler scheduler) {
        this.log = log;
        this.scheduler = scheduler;
        this.loggedNanos = new AtomicLong(scheduler.nanoTime() - INTERVAL_NANOS);
    }

    /** Logs as {@link Logger#warn(String, Object...)} if no line was logged within the last minute. */
    public void warn(String format, @Nullable Object... arguments) {
        log(Level.WARN, format, arguments);
    }

    /** Logs as {@link Logger#info(String, Object...)} if no line was logged within the last minute. For harmless events. */
    public void info(String format, @Nullable Object... arguments) {
        log(Level.INFO, format, arguments);
    }

    private void log(Level level, String format, @Nullable Object... arguments) {
        long now = scheduler.nanoTime();
        long last = loggedNanos.get();
        if (now - last < INTERVAL_NANOS || !loggedNanos.compareAndSet(last, now)) {
            suppressed.incrementAndGet();
            if (log.isDebugEnabled()) {
                log.debug(format, printable(arguments));
            }
            return;
        }
        long more = suppressed.getAndSet(0);
        log.atLevel(level)
                .log(
                        more == 0 ? format : format + " (and " + more + " more since the last line of this kind)",
                        printable(arguments));
    }

    private static @Nullable Object[] printable(@Nullable Object[] arguments) {
        @Nullable Object[] printable = new @Nullable Object[arguments.length];
        for (int i = 0; i < arguments.length; i++) {
            Object argument = arguments[i];
            if (argument instanceof Throwable failure) {
                printable[i] = TextSanitizer.printable(failure);
            } else {
                printable[i] = argument == null ? null : TextSanitizer.oneLine(argument.toString());
            }
        }
        return printable;
    }
}
