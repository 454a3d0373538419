package io.parley.examples.transfer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * The beginning of a file, with digests from the start of the file to several marks: each multiple of the step, and the length.
 * A receiver compares its digests with those of the sender. All bytes after the last mark with a matching digest are sent again,
 * so a damaged beginning costs little and is never used.
 */
final class FilePrefix {

    private static final long MIN_STEP = 1024 * 1024;
    private static final int MAX_MARKS = 1024;

    private final long length;
    private final long step;
    private final byte[] digests;

    private FilePrefix(long length, long step, byte[] digests) {
        this.length = length;
        this.step = step;
        this.digests = digests;
    }

    long length() {
        return length;
    }

    long step() {
        return step;
    }

    /** Returns one digest for each mark. The caller must not change the array. */
    byte[] digests() {
        return digests;
    }

    /** Returns the digest of the whole prefix. */
    byte[] digest() {
        return Arrays.copyOfRange(digests, digests.length - Sha256Digests.BYTES, digests.length);
    }

    private static long marks(long length, long step) {
        return (length - 1) / step + 1;
    }

    /** Returns the distance of the marks in a prefix of that length, in bytes. */
    static long stepOf(long length) {
        return Math.max(MIN_STEP, length / MAX_MARKS + 1);
    }

    /** Returns the size of the digests, in bytes. Fails if a step or a length is out of range. */
    static int digestBytes(long length, long step) {
        if (length < 1 || step < 1 || marks(length, step) > MAX_MARKS) {
            throw TransferProtocol.violation("prefix of " + length + " bytes with step " + step
                    + " (expected: at least 1 byte, and 1 to " + MAX_MARKS + " steps)");
        }
        return (int) marks(length, step) * Sha256Digests.BYTES;
    }

    /** Reads the first {@code length} bytes of a file. */
    static FilePrefix of(Path path, long length, long step) throws IOException {
        ByteArrayOutputStream digests = new ByteArrayOutputStream(digestBytes(length, step));
        MessageDigest digest = Sha256Digests.start();
        try (FileChannel file = FileChannel.open(path)) {
            for (long at = 0; at < length; at += step) {
                Sha256Digests.update(digest, file, Math.min(step, length - at));
                digests.writeBytes(Sha256Digests.copyOf(digest).digest());
            }
        }
        return new FilePrefix(length, step, digests.toByteArray());
    }

    /** Returns the length of the beginning that a file with these digests has in common with this one, in bytes. */
    long commonLength(byte[] others) {
        if (others.length != digests.length) {
            throw TransferProtocol.violation(
                    "digests of a file: " + others.length + " bytes (expected: " + digests.length + ")");
        }
        int mismatch = Arrays.mismatch(digests, others);
        return mismatch < 0 ? length : mismatch / Sha256Digests.BYTES * step;
    }
}
