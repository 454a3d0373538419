package io.parley.identity;

import io.parley.id.PeerId;
import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.function.UnaryOperator;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Creates certificate chains that a correct peer never creates. */
final class TestChains {
    private TestChains() {}

    static TransportCredential issued(
            Identity signer, PeerId namedIssuer, PeerId boundTo, Instant notBefore, Instant notAfter) {
        return issued(signer, namedIssuer, boundTo, notBefore, notAfter, builder -> builder);
    }

    static TransportCredential issued(
            Identity signer,
            PeerId namedIssuer,
            PeerId boundTo,
            Instant notBefore,
            Instant notAfter,
            UnaryOperator<X509v3CertificateBuilder> change) {
        KeyPair keys = CertificateIssuer.newP256KeyPair();
        X509v3CertificateBuilder builder =
                CertificateIssuer.transportCertificate(namedIssuer, keys, notBefore, notAfter, boundTo);
        X509Certificate leaf = CertificateIssuer.sign(change.apply(builder), signer);
        return credential(keys.getPrivate(), leaf, signer.certificate());
    }

    static TransportCredential credential(PrivateKey key, X509Certificate... chain) {
        return new TransportCredential(
                key, List.of(chain), chain[0].getNotAfter().toInstant());
    }

    /** Creates a certificate like that of a web server: any key, self-signed or not, without the extensions of Parley. */
    static X509Certificate foreign(
            KeyPair keys, String algorithm, PrivateKey signer, String issuer, String subject, Instant now)
            throws Exception {
        X509v3CertificateBuilder builder = new X509v3CertificateBuilder(
                new X500Name(issuer),
                BigInteger.TEN,
                Date.from(now.minus(Duration.ofHours(1))),
                Date.from(now.plus(Duration.ofHours(24))),
                new X500Name(subject),
                SubjectPublicKeyInfo.getInstance(keys.getPublic().getEncoded()));
        return parse(builder.build(new JcaContentSignerBuilder(algorithm).build(signer))
                .getEncoded());
    }

    static X509Certificate parse(byte[] encoded) throws Exception {
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(encoded));
    }

    static KeyPair keys(String algorithm) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
        if (algorithm.equals("RSA")) {
            generator.initialize(1024); // because a larger one takes seconds to find
        }
        return generator.generateKeyPair();
    }

    static X509Certificate[] chain(TransportCredential credential) {
        return credential.chain().toArray(new X509Certificate[0]);
    }
}
