package io.parley.identity;

import io.parley.id.PeerId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.DERBitString;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.edec.EdECObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x9.X9ObjectIdentifiers;

/**
 * Converts an identity to text and back: PEM (RFC 7468) of a version 2 private key (RFC 5958, for Ed25519 RFC 8410).
 * Version 2 contains the public key too. This reveals a damaged private key, because any 32 bytes are a valid private
 * key. Version 1, which other tools write, is also accepted.
 */
final class IdentityPem {
    private static final String BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String END = "-----END PRIVATE KEY-----";
    private static final int LINE_CHARS = 64;
    private static final int VERSION_2 = 1;

    private IdentityPem() {}

    static byte[] encode(Identity identity) {
        try {
            PrivateKeyInfo info = new PrivateKeyInfo(
                    new AlgorithmIdentifier(EdECObjectIdentifiers.id_Ed25519),
                    new DEROctetString(identity.seed()),
                    null,
                    identity.peerId().toByteArray());
            String body = Base64.getMimeEncoder(LINE_CHARS, new byte[] {'\n'})
                    .encodeToString(info.getEncoded(ASN1Encoding.DER));
            return (BEGIN + '\n' + body + '\n' + END + '\n').getBytes(StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException("encoding a private key in memory failed", e);
        }
    }

    /**
     * Decodes an identity.
     *
     * @throws IllegalArgumentException if the text is not an identity; the message names the fault
     */
    static Identity decode(byte[] pem) {
        String text = new String(pem, StandardCharsets.ISO_8859_1).strip();
        if (text.isEmpty()) {
            throw new IllegalArgumentException("the file is empty");
        }
        if (!text.startsWith(BEGIN)) {
            throw new IllegalArgumentException("the file does not begin with " + BEGIN);
        }
        if (!text.endsWith(END) || text.length() < BEGIN.length() + END.length()) {
            throw new IllegalArgumentException("the file does not end with " + END);
        }
        String body = text.substring(BEGIN.length(), text.length() - END.length());
        return decode(parse(body.replaceAll("\\s", "")));
    }

    private static PrivateKeyInfo parse(String base64) {
        try {
            return PrivateKeyInfo.getInstance(Base64.getDecoder().decode(base64));
        } catch (RuntimeException e) {
            // The decoders throw various exceptions: IllegalArgument, IllegalState, ClassCast, IndexOutOfBounds.
            throw new IllegalArgumentException("the content is damaged", e);
        }
    }

    private static Identity decode(PrivateKeyInfo info) {
        AlgorithmIdentifier algorithm = info.getPrivateKeyAlgorithm();
        if (!EdECObjectIdentifiers.id_Ed25519.equals(algorithm.getAlgorithm())) {
            throw new IllegalArgumentException("key algorithm: " + nameOf(algorithm) + " (expected: Ed25519)");
        }
        Identity identity = Identity.ofSeed(seed(info));
        boolean matches = info.hasPublicKey()
                ? isPublicKey(info, identity.peerId())
                : !info.getVersion().hasValue(VERSION_2);
        if (!matches) {
            throw new IllegalArgumentException("the private key does not match the public key");
        }
        return identity;
    }

    private static byte[] seed(PrivateKeyInfo info) {
        byte[] seed;
        try {
            seed = ASN1OctetString.getInstance(info.parsePrivateKey()).getOctets();
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException("the content is damaged", e);
        }
        if (seed.length != PeerId.BYTES) {
            throw new IllegalArgumentException("private key: " + seed.length + " bytes (expected: 32)");
        }
        return seed.clone();
    }

    private static boolean isPublicKey(PrivateKeyInfo info, PeerId peer) {
        return new DERBitString(peer.toByteArray()).equals(info.getPublicKeyData());
    }

    private static String nameOf(AlgorithmIdentifier algorithm) {
        if (PKCSObjectIdentifiers.rsaEncryption.equals(algorithm.getAlgorithm())) {
            return "RSA";
        }
        return X9ObjectIdentifiers.id_ecPublicKey.equals(algorithm.getAlgorithm())
                ? "EC"
                : algorithm.getAlgorithm().getId();
    }
}
