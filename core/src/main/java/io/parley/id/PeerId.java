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
 * Who a peer is: its Ed25519 public key (32 bytes, RFC 8032 section 5.1.5). Nobody can act as a peer without the private
 * half. Not every 32 bytes are a key that somebody can have; such an id is harmless, as no signature is ever valid for it.
 */
public final class PeerId extends AbstractId implements Id, Comparable<PeerId> {
    /** The size of a peer id in bytes. */
    public static final int BYTES = 32;

    private static final int SHORT_TEXT_CHARS = 8;

    private PeerId(byte[] payload) {
        super(IdKind.PEER, payload);
    }

    /**
     * The id with these bytes, which are copied.
     *
     * @throws IllegalArgumentException when they are not 32
     */
    public static PeerId ofBytes(byte[] bytes) {
        return new PeerId(bytes.clone());
    }

    /**
     * The id of the peer that has the private half of this key.
     *
     * @throws IllegalArgumentException when the key is not an Ed25519 key
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
     * Reads a peer id, as text or as URN. Case does not matter and white space around it is ignored.
     *
     * @throws IllegalArgumentException if it is none; the message names the fault
     */
    public static PeerId parse(CharSequence text) {
        return (PeerId) IdParser.parse(text, IdKind.PEER);
    }

    /**
     * The key in the form that {@code java.security} takes. It is made anew by each call.
     *
     * @throws IllegalStateException when the bytes are not the encoding of a key
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
            throw new IllegalStateException("peer " + text() + " is no Ed25519 public key", e);
        }
    }

    /** The first 8 characters of the text, for logs. Easy to forge, so never to be decided by. */
    public String shortText() {
        return text().substring(0, SHORT_TEXT_CHARS);
    }

    /** Orders by the bytes as unsigned numbers, first byte first. */
    @Override
    public int compareTo(PeerId other) {
        return Arrays.compareUnsigned(payload(), other.payload());
    }

    private static String describe(PublicKey key) {
        return key instanceof EdECPublicKey edKey ? edKey.getParams().getName() : key.getAlgorithm();
    }
}
