package io.parley.id;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The kinds of ids with their sizes, their URN labels and their numbers in the checksum. */
enum IdKind {
    PEER(1, "peer", 32, 3),
    GROUP(2, "group", 16, 4),
    PIPE(3, "pipe", 32, 3);

    private static final byte[] CHECKSUM_DOMAIN = "parley-id".getBytes(StandardCharsets.US_ASCII);

    private final byte number;
    private final String label;
    private final int payloadBytes;
    private final int checksumBytes;

    IdKind(int number, String label, int payloadBytes, int checksumBytes) {
        this.number = (byte) number;
        this.label = label;
        this.payloadBytes = payloadBytes;
        this.checksumBytes = checksumBytes;
    }

    /** Returns the kind with a label, ignoring case, or {@code null}. */
    static @Nullable IdKind ofLabel(String label) {
        for (IdKind kind : values()) {
            if (kind.label.equalsIgnoreCase(label)) {
                return kind;
            }
        }
        return null;
    }

    String label() {
        return label;
    }

    int payloadBytes() {
        return payloadBytes;
    }

    int textLength() {
        return Base32.textLength(payloadBytes + checksumBytes);
    }

    /** Creates an id of this kind from a copy of the payload. */
    Id create(byte[] payload) {
        return switch (this) {
            case PEER -> PeerId.ofBytes(payload);
            case GROUP -> GroupId.ofBytes(payload);
            case PIPE -> PipeId.ofBytes(payload);
        };
    }

    /** Returns {@code payload || checksum}. */
    byte[] seal(byte[] payload) {
        return ByteBuffer.allocate(payloadBytes + checksumBytes)
                .put(payload)
                .put(digest(payload), 0, checksumBytes)
                .array();
    }

    /** Returns whether the bytes are a payload of this kind followed by its checksum. */
    boolean isSealed(byte[] sealed) {
        return sealed.length == payloadBytes + checksumBytes
                && Arrays.equals(sealed, seal(Arrays.copyOf(sealed, payloadBytes)));
    }

    private byte[] digest(byte[] payload) {
        MessageDigest digest = Sha256.digest();
        digest.update(CHECKSUM_DOMAIN);
        digest.update(number);
        return digest.digest(payload);
    }
}
