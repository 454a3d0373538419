package io.parley.identity.internal;

import io.parley.id.PeerId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.DERSequence;
import org.bouncycastle.asn1.DERUTF8String;
import org.jspecify.annotations.Nullable;

/**
 * The extension that binds a transport certificate to its purpose and its peer. No other data that an identity signs can
 * be used as a transport certificate:
 *
 * <pre>
 *   SEQUENCE { UTF8String "parley transport", OCTET STRING peer id (32 bytes) }
 * </pre>
 */
public final class TransportBindingExtension {
    /** The object identifier, in the arc of UUIDs (ITU-T X.667); from UUID 5de81556-ebb5-477a-a0d0-07ae87dae82c. */
    public static final String OID = "2.25.124823249296349039533162237747237939244";

    public static final ASN1ObjectIdentifier IDENTIFIER = new ASN1ObjectIdentifier(OID);

    private static final String PURPOSE = "parley transport";

    private TransportBindingExtension() {}

    public static DERSequence of(PeerId peer) {
        return of(PURPOSE, peer);
    }

    public static DERSequence of(String purpose, PeerId peer) {
        return new DERSequence(new DERUTF8String(purpose), new DEROctetString(peer.toByteArray()));
    }

    static boolean isPresent(X509Certificate certificate) {
        return certificate.getExtensionValue(OID) != null;
    }

    /** Returns whether the certificate is bound to transport and to the peer. The encoding is unique, so bytes are compared. */
    static boolean binds(X509Certificate certificate, PeerId peer) {
        byte @Nullable [] value = certificate.getExtensionValue(OID);
        return value != null && Arrays.equals(value, wrapped(of(peer)));
    }

    /** Wraps the value in an octet string, the form that {@link X509Certificate#getExtensionValue} returns. */
    private static byte[] wrapped(DERSequence value) {
        try {
            return new DEROctetString(value).getEncoded(ASN1Encoding.DER);
        } catch (IOException e) {
            throw new UncheckedIOException("encoding an extension in memory failed", e);
        }
    }
}
