package io.parley.identity;

import io.parley.id.PeerId;
import io.parley.identity.internal.P256;
import io.parley.identity.internal.TransportBindingExtension;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.edec.EdECObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.operator.ContentSigner;

/** Issues the two certificates of a peer (RFC 5280; Ed25519 in certificates: RFC 8410). */
final class CertificateIssuer {
    /** Transport certificates become valid this long before they are issued, because the clocks of peers differ. */
    static final Duration BACKDATE = Duration.ofHours(1);

    private static final AlgorithmIdentifier ED25519 = new AlgorithmIdentifier(EdECObjectIdentifiers.id_Ed25519);

    // An identity has no start and no expiration. Fixed dates make its certificate a function of the key.
    private static final Instant IDENTITY_NOT_BEFORE = Instant.EPOCH;
    private static final Instant IDENTITY_NOT_AFTER = Instant.parse("9999-12-31T23:59:59Z");

    private static final int SERIAL_BITS = 127;

    private CertificateIssuer() {}

    static X509Certificate identityCertificate(Identity identity) {
        PeerId peer = identity.peerId();
        X509v3CertificateBuilder builder = new X509v3CertificateBuilder(
                name(peer.text()),
                BigInteger.ONE,
                Date.from(IDENTITY_NOT_BEFORE),
                Date.from(IDENTITY_NOT_AFTER),
                name(peer.text()),
                new SubjectPublicKeyInfo(ED25519, peer.toByteArray()));
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(
                    Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.digitalSignature));
        } catch (IOException e) {
            throw new UncheckedIOException("encoding a certificate in memory failed", e);
        }
        return sign(builder, identity);
    }

    static TransportCredential transportCredential(Identity identity, Instant now, Duration validity) {
        KeyPair keys = newP256KeyPair();
        Instant from = now.truncatedTo(ChronoUnit.SECONDS);
        X509Certificate leaf = sign(
                transportCertificate(
                        identity.peerId(), keys, from.minus(BACKDATE), from.plus(validity), identity.peerId()),
                identity);
        return new TransportCredential(
                keys.getPrivate(),
                List.of(leaf, identity.certificate()),
                leaf.getNotAfter().toInstant());
    }

    /** Returns an unsigned transport certificate. The issuer and the bound peer differ in tests only. */
    static X509v3CertificateBuilder transportCertificate(
            PeerId issuer, KeyPair keys, Instant notBefore, Instant notAfter, PeerId boundTo) {
        X509v3CertificateBuilder builder = new X509v3CertificateBuilder(
                name(issuer.text()),
                new BigInteger(SERIAL_BITS, new SecureRandom()).setBit(0),
                Date.from(notBefore),
                Date.from(notAfter),
                name("parley transport"),
                SubjectPublicKeyInfo.getInstance(keys.getPublic().getEncoded()));
        try {
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(new KeyPurposeId[] {
                KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth
            }));
            // Not critical: a TLS engine without support for Parley must not reject the certificate because of it.
            builder.addExtension(TransportBindingExtension.IDENTIFIER, false, TransportBindingExtension.of(boundTo));
        } catch (IOException e) {
            throw new UncheckedIOException("encoding a certificate in memory failed", e);
        }
        return builder;
    }

    static X509Certificate sign(X509v3CertificateBuilder builder, Identity signer) {
        try {
            byte[] encoded = builder.build(new Ed25519Signer(signer)).getEncoded();
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(encoded));
        } catch (CertificateException e) {
            throw new IllegalStateException("the JDK cannot parse a certificate issued by this class", e);
        } catch (IOException e) {
            throw new UncheckedIOException("encoding a certificate in memory failed", e);
        }
    }

    static KeyPair newP256KeyPair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec(P256.NAME));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("P-256 is required of every Java platform", e);
        }
    }

    private static X500Name name(String commonName) {
        return new X500NameBuilder(BCStyle.INSTANCE)
                .addRDN(BCStyle.CN, commonName)
                .build();
    }

    /** Signs the certificates that BouncyCastle builds. */
    private static final class Ed25519Signer implements ContentSigner {
        private final Identity signer;
        private final ByteArrayOutputStream content = new ByteArrayOutputStream();

        Ed25519Signer(Identity signer) {
            this.signer = signer;
        }

        @Override
        public AlgorithmIdentifier getAlgorithmIdentifier() {
            return ED25519;
        }

        @Override
        public OutputStream getOutputStream() {
            return content;
        }

        @Override
        public byte[] getSignature() {
            return signer.signRaw(content.toByteArray());
        }
    }
}
