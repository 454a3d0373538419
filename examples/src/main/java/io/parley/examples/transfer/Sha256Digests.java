package io.parley.examples.transfer;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Computes SHA-256 digests of bytes and files. */
public final class Sha256Digests {

    /** The size of a digest, in bytes. */
    static final int BYTES = 32;

    private static final int BUFFER_BYTES = 128 * 1024;

    private Sha256Digests() {}

    static MessageDigest start() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Returns a copy of a digest, including the bytes that were added so far. */
    static MessageDigest copyOf(MessageDigest digest) {
        try {
            return (MessageDigest) digest.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the SHA-256 of the platform can be cloned", e);
        }
    }

    /** Adds the next bytes of a file. */
    static void update(MessageDigest digest, FileChannel file, long length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(BUFFER_BYTES, Math.max(1, length)));
        for (long left = length; left > 0; ) {
            buffer.clear().limit((int) Math.min(buffer.capacity(), left));
            int read = file.read(buffer);
            if (read < 0) {
                throw new EOFException("the file became shorter while it was read");
            }
            digest.update(buffer.flip());
            left -= read;
        }
    }

    /** Returns the digest of a file, in hexadecimal. */
    public static String hexOf(Path path) throws IOException {
        MessageDigest digest = start();
        try (FileChannel file = FileChannel.open(path)) {
            update(digest, file, Files.size(path));
        }
        return hex(digest.digest());
    }

    static String hex(byte[] digest) {
        return HexFormat.of().formatHex(digest);
    }

    /** Computes the digest of a list of files: of the lines that sha256sum prints; for a single file, the digest of the file. */
    static final class OfList {
        private final MessageDigest digest = start();
        private byte[] only = new byte[0];
        private int count;

        void add(byte[] sum, TransferPath path) {
            digest.update((Sha256Digests.hex(sum) + "  " + path + "\n").getBytes(StandardCharsets.UTF_8));
            only = sum;
            count++;
        }

        String hex() {
            return Sha256Digests.hex(count == 1 ? only : digest.digest());
        }
    }
}
