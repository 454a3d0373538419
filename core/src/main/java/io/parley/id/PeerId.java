package io.parley.id;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.EdECPoint;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;

/**
 * The id of a peer: its Ed25519 public key (32 bytes, RFC 8032 section 5.1.5). Acting as a peer requires the private key.
 * Not all 32-byte values are valid keys; an id that is not a key is harmless because no signature verifies for it.
 */
public final class PeerId extends AbstractId implements Id, Comparable<PeerId> {
    /** The size of a peer id in bytes. */
    public static final int BYTES = 32;

    private static final int SHORT_TEXT_CHARS = 8;

    private PeerId(byte[] payload) {
        super(IdKind.PEER, payload);
    }

    /**
     * Creates an id from a copy of the given bytes.
     *
     * @throws IllegalArgumentException if the length is not 32
     */
    public static PeerId ofBytes(byte[] bytes) {
        return new PeerId(bytes.clone());
    }

    /**
     * Returns the id of the peer that has the private half of a key.
     *
     * @throws IllegalArgumentException if the key is not an Ed25519 key
     */
    public static PeerId of(PublicKey key) {
        if (!(key instanceof EdECPublicKey edKey)
                || !NamedParameterSpec.ED25519
                        .getName()
                        .equals(edKey.getParams().getName())) {
            throw new IllegalArgumentException("key: " + describe(key) + " (expected: Ed25519)");
        }
        // RFC 8032 section 5.1.2: y in little-endian order, and the lowest bit of x in its unused highest bit.
        byte[] bytes = new byte[BYTES];
        byte[] bigEndian = edKey.getPoint().getY().toByteArray();
        for (int i = 0; i < Math.min(BYTES, bigEndian.length); i++) {
            bytes[i] = bigEndian[bigEndian.length - 1 - i];
        }
        if (edKey.getPoint().isXOdd()) {
            bytes[BYTES - 1] |= (byte) 0x80;
        }
        return new PeerId(bytes);
    }

    /**
     * Parses a peer id, as text or as URN. Case and surrounding white space are ignored.
     *
     * @throws IllegalArgumentException if the text is not a peer id; the message names the fault
     */
    public static PeerId parse(CharSequence text) {
        return (PeerId) IdParser.parse(text, IdKind.PEER);
    }

    /**
     * Returns the public key for use with {@code java.security}. Each call creates a key object.
     *
     * @throws IllegalStateException if the bytes do not encode a key
     */
    public EdECPublicKey publicKey() {
        byte[] bigEndian = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            bigEndian[i] = payload()[BYTES - 1 - i];
        }
        boolean xOdd = (bigEndian[0] & 0x80) != 0;
        bigEndian[0] &= 0x7f;
        EdECPoint point = new EdECPoint(xOdd, new BigInteger(1, bigEndian));
        try {
            return (EdECPublicKey) KeyFactory.getInstance("Ed25519")
                    .generatePublic(new EdECPublicKeySpec(NamedParameterSpec.ED25519, point));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("peer " + text() + " is not an Ed25519 public key", e);
        }
    }

    /** Returns the first 8 characters of the text, for logs. They are easy to forge and must not be used for decisions. */
    public String shortText() {
        return text().substring(0, SHORT_TEXT_CHARS);
    }

    /** Compares the bytes as unsigned numbers, first byte first. */
    @Override
    public int compareTo(PeerId other) {
        return Arrays.compareUnsigned(payload(), other.payload());
    }

    private static String describe(PublicKey key) {
        return key instanceof EdECPublicKey edKey ? edKey.getParams().getName() : key.getAlgorithm();
    }
}
