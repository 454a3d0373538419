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
 * The extension that says what a transport certificate is for and whose it is, so that nothing else an identity may ever
 * sign can be used as one:
 *
 * <pre>
 *   SEQUENCE { UTF8String "parley transport", OCTET STRING peer id (32 bytes) }
 * </pre>
 */
public final class TransportBindingExtension {
    /** Under the arc of UUIDs (ITU-T X.667); made from 5de81556-ebb5-477a-a0d0-07ae87dae82c. */
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

    /** Whether the certificate is bound to transport and that peer. There is one encoding, so bytes are compared. */
    static boolean binds(X509Certificate certificate, PeerId peer) {
        byte @Nullable [] value = certificate.getExtensionValue(OID);
        return value != null && Arrays.equals(value, wrapped(of(peer)));
    }

    /** {@link X509Certificate#getExtensionValue} gives the octet string around the value. */
    private static byte[] wrapped(DERSequence value) {
        try {
            return new DEROctetString(value).getEncoded(ASN1Encoding.DER);
        } catch (IOException e) {
            throw new UncheckedIOException("in memory", e);
        }
    }
}
