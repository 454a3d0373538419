package io.parley.bench.worker;

import io.parley.bench.contender.MessageCounter;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The messages that arrived in a time that began with the first one.
 *
 * @param nanos the real length of the time
 */
public record ArrivalCount(long messages, long nanos) {

    private static final Duration FIRST_TIMEOUT = Duration.ofSeconds(20);

    /** Waits for the first message, and for {@code nanos} nanoseconds from then. */
    static ArrivalCount await(MessageCounter counter, long nanos) throws InterruptedException {
        long giveUp = System.nanoTime() + FIRST_TIMEOUT.toNanos();
        while (counter.arrived() == 0) {
            if (System.nanoTime() - giveUp > 0) {
                throw new IllegalStateException("first message: not received within " + FIRST_TIMEOUT);
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
        long end = counter.firstNanos() + nanos;
        TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
        long messages = counter.arrived();
        return new ArrivalCount(messages, System.nanoTime() - counter.firstNanos());
    }

    static ArrivalCount parse(String text) {
        String[] words = text.split(" ", 2);
        return new ArrivalCount(Long.parseLong(words[0]), Long.parseLong(words[1]));
    }

    String text() {
        return messages + " " + nanos;
    }

    /** Returns the messages per second. */
    public double perSecond() {
        return messages * (double) TimeUnit.SECONDS.toNanos(1) / nanos;
    }
}
