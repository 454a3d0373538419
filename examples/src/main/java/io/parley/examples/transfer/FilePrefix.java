package io.parley.examples.transfer;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * The beginning of a file that a receiver may have, proven by digests from the file's start to several marks: each
 * multiple of the step, and the length. What follows the last mark with a right digest is sent again, so a damaged
 * beginning costs little and is never trusted.
 */
final class FilePrefix {

    private static final long MIN_STEP = 1024 * 1024;
    private static final int MAX_MARKS = 1024;

    private final long length;
    private final long step;
    private final byte[] digests;

    /**
     * A beginning.
     *
     * @param length  how much there is
     * @param step    the distance of the marks
     * @param digests one digest for each mark; takes ownership
     */
    FilePrefix(long length, long step, byte[] digests) {
        if (length < 1
                || step < 1
                || digests.length / Sha256Digests.BYTES != marks(length, step)
                || digests.length % Sha256Digests.BYTES != 0) {
            throw TransferProtocol.violation("beginning of " + length + " bytes, step " + step + ", with "
                    + digests.length + " bytes of digests");
        }
        this.length = length;
        this.step = step;
        this.digests = digests;
    }

    long step() {
        return step;
    }

    /** One digest for each mark; not to be changed. */
    byte[] digests() {
        return digests;
    }

    private static long marks(long length, long step) {
        return (length - 1) / step + 1;
    }

    /** Reads the first bytes of a file. */
    static FilePrefix of(Path path, long length) throws IOException {
        long step = Math.max(MIN_STEP, length / MAX_MARKS + 1);
        ByteArrayOutputStream digests = new ByteArrayOutputStream();
        MessageDigest digest = Sha256Digests.start();
        try (FileChannel file = FileChannel.open(path)) {
            for (long at = 0; at < length; at += step) {
                Sha256Digests.update(digest, file, Math.min(step, length - at));
                digests.writeBytes(Sha256Digests.fork(digest).digest());
            }
        }
        return new FilePrefix(length, step, digests.toByteArray());
    }

    /** How much of another file begins with the same bytes, and the digest up to there. */
    Match match(Path path) throws IOException {
        MessageDigest digest = Sha256Digests.start();
        MessageDigest right = Sha256Digests.fork(digest);
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
                if (!MessageDigest.isEqual(Sha256Digests.fork(digest).digest(), expected)) {
                    break;
                }
                matched = next;
                right = Sha256Digests.fork(digest);
            }
        }
        return new Match(matched, right);
    }

    /** So many bytes are the same, and this is their digest so far. */
    record Match(long length, MessageDigest digest) {
        static Match none() {
            return new Match(0, Sha256Digests.start());
        }
    }
}
