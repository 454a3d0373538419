package io.parley.id;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What differs between the kinds of ids: sizes, and what goes into checksum and URN. */
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

    /** The kind of that label in any case, or {@code null}. */
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

    /** {@code payload || checksum}. */
    byte[] seal(byte[] payload) {
        byte[] sealed = Arrays.copyOf(payload, payloadBytes + checksumBytes);
        System.arraycopy(digest(payload), 0, sealed, payloadBytes, checksumBytes);
        return sealed;
    }

    /** Whether these bytes are a payload of this kind with its checksum behind it. */
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
