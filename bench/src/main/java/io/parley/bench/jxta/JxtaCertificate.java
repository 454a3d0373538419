package io.parley.bench.jxta;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Security;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import net.jxta.impl.membership.pse.PSEUtils;

/**
 * The certificate of both peers of secure pipes. A peer of JXTA trusts the certificates in its own store, so that two peers with the same
 * one trust each other.
 */
record JxtaCertificate(X509Certificate certificate, PrivateKey key) {

    private static final String SEPARATOR = "#";

    /** Generates a certificate. */
    static JxtaCertificate generate() throws GeneralSecurityException {
        PSEUtils.IssuerInfo generated = PSEUtils.genCert("parley-bench", null);
        return new JxtaCertificate(generated.cert, generated.subjectPkey);
    }

    /** JXTA demands TLS 1.0 and certificates with SHA-1, which current JDKs refuse. Must be called before the first use of TLS. */
    static void permitOldAlgorithms() {
        Security.setProperty("jdk.tls.disabledAlgorithms", "");
        Security.setProperty("jdk.certpath.disabledAlgorithms", "");
    }

    /** Returns an address with this certificate, in one word. */
    String appendTo(String address) throws GeneralSecurityException {
        Base64.Encoder encoder = Base64.getEncoder();
        return String.join(
                SEPARATOR,
                address,
                encoder.encodeToString(certificate.getEncoded()),
                encoder.encodeToString(key.getEncoded()));
    }

    /** Returns the certificate in an address that {@link #appendTo} has returned. */
    static JxtaCertificate in(String address) throws GeneralSecurityException {
        String[] parts = address.split(SEPARATOR, -1);
        byte[] encoded = Base64.getDecoder().decode(parts[1]);
        return new JxtaCertificate(
                (X509Certificate)
                        CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(encoded)),
                KeyFactory.getInstance("RSA")
                        .generatePrivate(
                                new PKCS8EncodedKeySpec(Base64.getDecoder().decode(parts[2]))));
    }

    /** Returns the address without a certificate. */
    static String address(String address) {
        return address.split(SEPARATOR, 2)[0];
    }
}
