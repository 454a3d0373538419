package io.parley.bench.contender;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Proves what one receiver got: each message once, in order and undamaged. The checksum covers the sequence numbers and the last bytes
 * of all messages, in their order; {@link #checksum(int, long)} is that of the sent messages. {@link #received} is called for one
 * message at a time; all other methods may be called by any thread.
 */
public final class FanOutReceipt {

    private static final long FACTOR = 0x9E37_79B9_7F4A_7C15L;

    private final ContentCheck check = new ContentCheck();
    private volatile Run run = new Run(0);

    /** Starts a new count, of {@code messages} messages. No message may be on its way. */
    public void expect(long messages) {
        run = new Run(messages);
    }

    /** Counts a message. */
    public void received(MessageBytes message) {
        check.check(message);
        long sequence = Header.number(message);
        Run current = run;
        long next = current.arrived.getPlain();
        if (sequence != next) {
            check.damaged("sequence number: %d (expected: %d)".formatted(sequence, next));
        }
        current.add(sequence, message.longAt(message.length() - Long.BYTES));
    }

    /**
     * Waits until all expected messages have arrived. Returns when the last one did, see {@link System#nanoTime}.
     *
     * @throws IllegalStateException if a message was damaged, missing, repeated or out of order
     * @throws TimeoutException if messages are missing at the end of the timeout
     */
    public long await(Duration timeout) throws InterruptedException, TimeoutException {
        Run current = run;
        boolean isComplete = current.complete.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
        check.requireIntact();
        if (!isComplete) {
            throw new TimeoutException("messages: %d (expected: %d within %s)"
                    .formatted(current.arrived.get(), current.expected, timeout));
        }
        return current.lastNanos;
    }

    /** Returns the checksum of the messages, all of which must have arrived. */
    public long checksum() {
        return run.checksum;
    }

    /** Returns the checksum of {@code messages} messages of {@code bytes} bytes with sequence numbers from 0. */
    public static long checksum(int bytes, long messages) {
        byte[] content = new Header(Signal.TIMED, 0).message(bytes);
        long end = MessageBytes.of(content, 0).longAt(content.length - Long.BYTES);
        long checksum = 0;
        for (long sequence = 0; sequence < messages; sequence++) {
            checksum = next(checksum, sequence, end);
        }
        return checksum;
    }

    private static long next(long checksum, long sequence, long end) {
        return (Long.rotateLeft(checksum, 1) ^ sequence ^ end) * FACTOR;
    }

    /** The messages of one measurement. Only the thread that receives writes. */
    private static final class Run {

        private final long expected;
        private final CountDownLatch complete = new CountDownLatch(1);
        private final AtomicLong arrived = new AtomicLong();
        private long checksum;
        private long lastNanos;

        private Run(long expected) {
            this.expected = expected;
        }

        private void add(long sequence, long end) {
            checksum = next(checksum, sequence, end);
            long count = arrived.getPlain() + 1; // only the thread that receives writes
            arrived.setRelease(count);
            if (count == expected) {
                lastNanos = System.nanoTime();
                complete.countDown();
            }
        }
    }
}
