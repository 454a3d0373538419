package io.parley.pipes;

import io.parley.message.Message;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Numbered messages in one direction, small and large mixed. The receiving end checks that each arrives once, in order and
 * undamaged, and that no two are delivered at a time. The sending end checks that no completed future is wrong: the message
 * was received at that moment. One thread at a time sends.
 */
final class NumberedStream implements Consumer<PipeMessage> {

    private static final int SMALL_BYTES = 1_000;
    private static final int MEDIUM_BYTES = 60_000;
    private static final int MAX_FAULTS = 20;

    /** A large message needs a connection that lives long enough, so a series of cuts may stop a pipe for a while. */
    static final Duration MAX_STALL = Duration.ofMinutes(4);

    private final String name;
    private final long seed;
    private final byte[] pool;
    private final int maxBytes;

    /** The number of messages that were received. The next one must have this number. */
    private final AtomicLong received = new AtomicLong();

    private final AtomicLong settled = new AtomicLong();
    private final AtomicBoolean receiving = new AtomicBoolean();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private long sent;
    private long sentBytes;

    /**
     * Creates a stream.
     *
     * @param pool     random bytes, of which the content of each message is a part; longer than {@code maxBytes}
     * @param maxBytes the size of the largest message
     */
    NumberedStream(String name, long seed, byte[] pool, int maxBytes) {
        this.name = name;
        this.seed = seed;
        this.pool = pool;
        this.maxBytes = maxBytes;
    }

    /** Returns the content of a message: of ten messages nine are small, one of a hundred is large. */
    private ByteBuffer content(long number) {
        SplittableRandom random = new SplittableRandom(seed + number);
        int choice = random.nextInt(100);
        int bound = choice < 90 ? SMALL_BYTES : choice < 99 ? MEDIUM_BYTES : maxBytes;
        int size = random.nextInt(bound) + 1;
        return ByteBuffer.wrap(pool, random.nextInt(pool.length - size + 1), size)
                .slice();
    }

    /** Sends messages until there are enough, and waits whenever the pipe has no room. */
    void send(OutputPipe pipe, BooleanSupplier isEnough) {
        while (!isEnough.getAsBoolean() && faults.isEmpty()) {
            pipe.whenWritable()
                    .orTimeout(MAX_STALL.toSeconds(), TimeUnit.SECONDS)
                    .join();
            long number = sent++;
            ByteBuffer content = content(number);
            byte[] bytes = new byte[content.remaining()];
            content.get(0, bytes);
            sentBytes += bytes.length;
            Message message = Message.builder()
                    .add("number", Long.toString(number))
                    .add("content", bytes)
                    .build();
            pipe.send(message).whenComplete((done, failure) -> onSettled(number, failure));
        }
    }

    private void onSettled(long number, @Nullable Throwable failure) {
        long present = received.get();
        if (failure != null) {
            fault("the future of message " + number + " failed: " + failure);
        } else if (present <= number) {
            fault("the future of message " + number + " completed, but only " + present + " messages were received");
        }
        settled.incrementAndGet();
    }

    @Override
    public void accept(PipeMessage message) {
        if (!receiving.compareAndSet(false, true)) {
            fault("two messages were delivered at a time");
        }
        long expected = received.get();
        ByteBuffer content = content(expected);
        long number = Long.parseLong(message.text("number").orElse("-1"));
        if (number != expected) {
            fault("received message " + number + " (expected: " + expected + ")");
        } else if (!content.equals(
                message.message().element("content").orElseThrow().asByteBuffer())) {
            fault("message " + number + " is damaged");
        }
        received.incrementAndGet();
        receiving.set(false);
    }

    private void fault(String text) {
        if (faults.size() < MAX_FAULTS) {
            faults.add(name + ": " + text);
        }
    }

    Queue<String> faults() {
        return faults;
    }

    boolean isSettled() {
        return settled.get() == sent;
    }

    long sent() {
        return sent;
    }

    long sentBytes() {
        return sentBytes;
    }

    long received() {
        return received.get();
    }

    @Override
    public String toString() {
        return name + ": " + sent + " sent, " + received + " received, " + settled + " settled";
    }
}
