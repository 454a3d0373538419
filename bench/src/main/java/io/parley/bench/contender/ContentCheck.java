package io.parley.bench.contender;

import org.jspecify.annotations.Nullable;

/**
 * Checks received messages by samples: up to {@value #MAX_SAMPLES} groups of eight bytes, evenly spaced, the last bytes
 * included, against the content that {@link Header#message} gives a message of that length. A message that is truncated,
 * mixed with another one, or shifted has other bytes there. The check is the same for all contenders and takes some
 * nanoseconds. Thread-safe.
 */
final class ContentCheck {

    private static final int MAX_SAMPLES = 16;
    private static final int SAMPLE_SPACING = 256;

    private volatile byte[] content = new byte[0];
    private volatile @Nullable String damage;

    /** Checks a message. */
    void check(MessageBytes message) {
        int length = message.length();
        int last = length - Long.BYTES;
        if (last < Header.MAX_BYTES) {
            return;
        }
        byte[] expected = content;
        if (expected.length != length) {
            expected = Header.content(length);
            content = expected;
        }
        int samples = Math.max(1, Math.min(MAX_SAMPLES, length / SAMPLE_SPACING));
        int step = (last - Header.MAX_BYTES) / samples;
        MessageBytes expectedBytes = MessageBytes.of(expected, 0);
        for (int sample = 0, index = last; sample < samples; sample++, index -= step) {
            if (message.longAt(index) != expectedBytes.longAt(index)) {
                damaged("message of %d bytes: wrong bytes at %d".formatted(length, index));
                return;
            }
        }
    }

    /** Records that a message was wrong. */
    void damaged(String description) {
        damage = description;
    }

    /** @throws IllegalStateException if a message was wrong */
    void requireIntact() {
        String found = damage;
        if (found != null) {
            throw new IllegalStateException(found);
        }
    }
}
