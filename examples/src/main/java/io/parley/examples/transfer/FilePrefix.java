package io.parley.examples.transfer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * The beginning of a file that a receiver has. It is verified by digests from the start of the file to several marks: each
 * multiple of the step, and the length. All bytes after the last mark with a matching digest are sent again, so a damaged
 * beginning costs little and is never used.
 */
final class FilePrefix {

    private static final long MIN_STEP = 1024 * 1024;
    private static final int MAX_MARKS = 1024;

    private final long length;
    private final long step;
    private final byte[] digests;

    /**
     * Creates a prefix.
     *
     * @param length  the length of the prefix, in bytes
     * @param step    the distance of the marks, in bytes
     * @param digests one digest for each mark; takes ownership
     */
    FilePrefix(long length, long step, byte[] digests) {
        if (length < 1
                || step < 1
                || digests.length / Sha256Digests.BYTES != marks(length, step)
                || digests.length % Sha256Digests.BYTES != 0) {
            throw TransferProtocol.violation("prefix of " + length + " bytes with step " + step + ": " + digests.length
                    + " bytes of digests (expected: " + Sha256Digests.BYTES + " for each mark)");
        }
        this.length = length;
        this.step = step;
        this.digests = digests;
    }

    long step() {
        return step;
    }

    /** Returns one digest for each mark. The caller must not change the array. */
    byte[] digests() {
        return digests;
    }

    private static long marks(long length, long step) {
        return (length - 1) / step + 1;
    }

    /** Returns the prefix that consists of the first {@code length} bytes of a file. */
    static FilePrefix of(Path path, long length) throws IOException {
        long step = Math.max(MIN_STEP, length / MAX_MARKS + 1);
        ByteArrayOutputStream digests = new ByteArrayOutputStream();
        MessageDigest digest = Sha256Digests.start();
        try (FileChannel file = FileChannel.open(path)) {
            for (long at = 0; at < length; at += step) {
                Sha256Digests.update(digest, file, Math.min(step, length - at));
                digests.writeBytes(Sha256Digests.copyOf(digest).digest());
            }
        }
        return new FilePrefix(length, step, digests.toByteArray());
    }

    /** Returns the length of the beginning that another file has in common, and the digest of those bytes. */
    Match match(Path path) throws IOException {
        MessageDigest digest = Sha256Digests.start();
        MessageDigest matchedDigest = Sha256Digests.copyOf(digest);
        long matched = 0;
        long usable = Math.min(length, Files.size(path));
        try (FileChannel file = FileChannel.open(path)) {
            for (int mark = 0; matched < usable; mark++) {
                long next = matched + Math.min(step, length - matched);
                if (next > usable) {
                    break;
                }
                Sha256Digests.update(digest, file, next - matched);
                byte[] expected =
                        Arrays.copyOfRange(digests, mark * Sha256Digests.BYTES, (mark + 1) * Sha256Digests.BYTES);
                if (!MessageDigest.isEqual(Sha256Digests.copyOf(digest).digest(), expected)) {
                    break;
                }
                matched = next;
                matchedDigest = Sha256Digests.copyOf(digest);
            }
        }
        return new Match(matched, matchedDigest);
    }

    /** The number of matching bytes and their digest, which can be continued. */
    record Match(long length, MessageDigest digest) {
        static Match none() {
            return new Match(0, Sha256Digests.start());
        }
    }
}
