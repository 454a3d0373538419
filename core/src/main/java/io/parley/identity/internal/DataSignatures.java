package io.parley.identity.internal;

import io.parley.id.PeerId;
import io.parley.identity.Identity;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.bouncycastle.math.ec.rfc8032.Ed25519;

/** Signatures over data other than certificates. A prefix that no certificate begins with separates the two. */
public final class DataSignatures {
    private static final byte[] PREFIX = "parley-signed-data\0".getBytes(StandardCharsets.US_ASCII);

    private DataSignatures() {}

    public static byte[] withPrefix(byte[] data) {
        byte[] prefixed = Arrays.copyOf(PREFIX, PREFIX.length + data.length);
        System.arraycopy(data, 0, prefixed, PREFIX.length, data.length);
        return prefixed;
    }

    public static boolean verify(PeerId signer, byte[] data, byte[] signature) {
        return verifyPlain(signer, withPrefix(data), signature);
    }

    /** Verifies a plain Ed25519 signature. Only certificates are signed without the prefix. */
    static boolean verifyPlain(PeerId signer, byte[] signed, byte[] signature) {
        if (signature.length != Identity.SIGNATURE_BYTES) {
            return false;
        }
        // Several times faster than the JDK. The validated point does not have to be decoded again.
        Ed25519.PublicPoint point = Ed25519.validatePublicKeyPartialExport(signer.toByteArray(), 0);
        return point != null && Ed25519.verify(signature, 0, point, signed, 0, signed.length);
    }

    /**
     * Returns whether the id is the canonical encoding of a point on the curve that is not of small order. Signatures that
     * verify for a key of small order can be computed without a private key, so any peer could use such an id.
     */
    public static boolean isKey(PeerId id) {
        return Ed25519.validatePublicKeyPartial(id.toByteArray(), 0);
    }
}
