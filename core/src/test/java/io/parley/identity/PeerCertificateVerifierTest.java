package io.parley.identity;

import static io.parley.identity.TestChains.chain;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.parley.id.PeerId;
import io.parley.identity.internal.PeerCertificateVerifier;
import io.parley.identity.internal.TransportBindingExtension;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import javax.net.ssl.SSLSession;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DERNull;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.junit.jupiter.api.Test;

class PeerCertificateVerifierTest {
    private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
    private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);
    private static final Identity ALICE = Identity.generate();
    private static final Identity MALLORY = Identity.generate();
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void verify_issuedCredential_isThePeer() throws Exception {
        assertThat(PeerCertificateVerifier.verify(chain(ALICE.issueTransportCredential(CLOCK)), CLOCK))
                .isEqualTo(ALICE.peerId());
    }

    @Test
    void verify_atTheEdgesOfValidity_isExact() throws Exception {
        X509Certificate[] chain = chain(ALICE.issueTransportCredential(CLOCK, Duration.ofHours(2)));
        PeerCertificateVerifier.verify(chain, at(NOW.minus(HOUR)));
        PeerCertificateVerifier.verify(chain, at(NOW.plus(HOUR.multipliedBy(2))));
        assertThat(refusal(chain, NOW.minus(HOUR).minusMillis(1)))
                .isInstanceOf(CertificateNotYetValidException.class)
                .hasMessageContaining(
                        ": not valid before 2026-11-21T09:00:00Z; the local time is 2026-11-21T08:59:59.999Z");
        assertThat(refusal(chain, NOW.plus(HOUR.multipliedBy(2)).plusMillis(1)))
                .isInstanceOf(CertificateExpiredException.class)
                .hasMessageContaining("transport certificate of peer " + ALICE.peerId() + ": expired at 2026-11-21T12")
                .hasMessageContaining("check both clocks");
    }

    /** A certificate as BoringSSL keeps it: bytes, which would be parsed, and stay in memory, if anything else were read. */
    private static final class UnparsedCertificate extends Certificate {

        private static final long serialVersionUID = 1L;

        private final byte[] encoded;

        private UnparsedCertificate(Certificate certificate) throws CertificateEncodingException {
            super(certificate.getType());
            this.encoded = certificate.getEncoded();
        }

        @Override
        public byte[] getEncoded() {
            return encoded.clone();
        }

        @Override
        public void verify(PublicKey key) {
            throw new UnsupportedOperationException("verify: parses the certificate of the session");
        }

        @Override
        public void verify(PublicKey key, String provider) {
            verify(key);
        }

        @Override
        public PublicKey getPublicKey() {
            throw new UnsupportedOperationException("getPublicKey: parses the certificate of the session");
        }

        @Override
        public String toString() {
            return "unparsed certificate";
        }
    }

    @Test
    void authenticate_readsOnlyTheBytesOfTheSession() throws Exception {
        X509Certificate[] chain = chain(ALICE.issueTransportCredential(CLOCK));
        Certificate[] unparsed = {new UnparsedCertificate(chain[0]), new UnparsedCertificate(chain[1])};
        SSLSession session = (SSLSession) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {SSLSession.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("getPeerCertificates");
                    return unparsed;
                });

        assertThat(PeerCertificateVerifier.authenticate(session, CLOCK)).isEqualTo(ALICE.peerId());
    }

    @Test
    void verify_noCertificates_isRefused() {
        assertThat(catchThrowableOfType(CertificateException.class, () -> PeerCertificateVerifier.verify(null, CLOCK)))
                .hasMessage("the remote peer sent no certificate");
        assertThat(refusal()).hasMessage("the remote peer sent no certificate");
    }

    @Test
    void verify_otherChainLength_isRefused() {
        X509Certificate[] chain = chain(ALICE.issueTransportCredential(CLOCK));
        assertThat(refusal(chain[0])).hasMessageContaining("certificate chain: 1 certificates (expected: 2");
        assertThat(refusal(chain[1])).hasMessageContaining("certificate chain: 1 certificates (expected: 2");
        assertThat(refusal(chain[0], chain[1], chain[1]))
                .hasMessageContaining("certificate chain: 3 certificates (expected: 2");
        assertThat(refusal(chain[0], chain[1], MALLORY.certificate()))
                .hasMessageContaining("certificate chain: 3 certificates");
    }

    @Test
    void verify_wrongOrder_isRefused() {
        X509Certificate[] chain = chain(ALICE.issueTransportCredential(CLOCK));
        assertThat(refusal(chain[1], chain[0]))
                .hasMessage("identity certificate: key algorithm EC (expected: Ed25519)");
    }

    @Test
    void verify_leafOfAnotherIdentity_isRefused() {
        X509Certificate[] mallorys = chain(MALLORY.issueTransportCredential(CLOCK));
        assertThat(refusal(mallorys[0], ALICE.certificate()))
                .hasMessage("transport certificate of peer " + ALICE.peerId() + ": unexpected issuer CN="
                        + MALLORY.peerId());
        // The issuer name alone authenticates nothing.
        TransportCredential posing =
                TestChains.issued(MALLORY, ALICE.peerId(), ALICE.peerId(), NOW.minus(HOUR), NOW.plus(HOUR));
        assertThat(refusal(posing.chain().get(0), ALICE.certificate()))
                .hasMessageContaining(": not signed by the identity key");
    }

    @Test
    void verify_knownChainWithAnotherSignature_isRefused() throws Exception {
        X509Certificate[] chain = chain(ALICE.issueTransportCredential(CLOCK));
        PeerCertificateVerifier.verify(chain, CLOCK);
        for (int changed = 0; changed < chain.length; changed++) {
            X509Certificate[] forged = chain.clone();
            byte[] encoded = chain[changed].getEncoded();
            encoded[encoded.length - 1] ^= 1; // the last byte of the signature
            forged[changed] = (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(encoded));
            assertThat(refusal(forged)).hasMessageContaining(": not signed by ");
        }
        assertThat(PeerCertificateVerifier.verify(chain, CLOCK)).isEqualTo(ALICE.peerId());
    }

    @Test
    void verify_leafNamesAnotherIssuer_isRefused() {
        assertThat(refusal(chain(
                        TestChains.issued(ALICE, MALLORY.peerId(), ALICE.peerId(), NOW.minus(HOUR), NOW.plus(HOUR)))))
                .hasMessageContaining("unexpected issuer CN=" + MALLORY.peerId());
    }

    @Test
    void verify_leafBoundToAnotherPeer_isRefused() {
        assertThat(refusal(chain(
                        TestChains.issued(ALICE, ALICE.peerId(), MALLORY.peerId(), NOW.minus(HOUR), NOW.plus(HOUR)))))
                .hasMessageContaining(": bound to another peer or purpose");
    }

    @Test
    void verify_leafBoundToAnotherPurpose_isRefused() {
        assertThat(refusal(chain(changed(builder -> builder.replaceExtension(new Extension(
                        TransportBindingExtension.IDENTIFIER,
                        false,
                        TransportBindingExtension.of("parley backup", ALICE.peerId())
                                .getEncoded()))))))
                .hasMessageContaining(": bound to another peer or purpose");
        assertThat(refusal(chain(changed(builder -> builder.replaceExtension(
                        new Extension(TransportBindingExtension.IDENTIFIER, false, new byte[] {1, 2}))))))
                .hasMessageContaining(": bound to another peer or purpose");
    }

    @Test
    void verify_leafNotBound_isRefused() {
        assertThat(refusal(chain(changed(builder -> builder.removeExtension(TransportBindingExtension.IDENTIFIER)))))
                .hasMessageContaining(": not issued for transport; extension " + TransportBindingExtension.OID);
    }

    @Test
    void verify_leafIsCertificationAuthority_isRefused() {
        assertThat(refusal(chain(changed(builder ->
                        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true))))))
                .hasMessageContaining(": is a certificate of a certification authority");
    }

    @Test
    void verify_unknownCriticalExtension_isRefused() {
        assertThat(refusal(chain(changed(
                        builder -> builder.addExtension(new ASN1ObjectIdentifier("1.2.3.4"), true, DERNull.INSTANCE)))))
                .hasMessageContaining("critical extension");
    }

    @Test
    void verify_leafForYears_isRefused() throws Exception {
        Instant begin = NOW.minus(HOUR);
        TransportCredential longest =
                TestChains.issued(ALICE, ALICE.peerId(), ALICE.peerId(), begin, begin.plus(Duration.ofDays(8)));
        assertThat(PeerCertificateVerifier.verify(chain(longest), CLOCK)).isEqualTo(ALICE.peerId());
        TransportCredential tooLong = TestChains.issued(
                ALICE,
                ALICE.peerId(),
                ALICE.peerId(),
                begin,
                begin.plus(Duration.ofDays(8)).plusSeconds(1));
        assertThat(refusal(chain(tooLong))).hasMessageContaining(": validity PT192H1S (expected: <= PT192H)");
        TransportCredential years =
                TestChains.issued(ALICE, ALICE.peerId(), ALICE.peerId(), begin, Instant.parse("9999-12-31T23:59:59Z"));
        assertThat(refusal(chain(years))).hasMessageContaining("(expected: <= PT192H)");
    }

    @Test
    void verify_selfSignedRsa_isRefused() throws Exception {
        KeyPair rsa = TestChains.keys("RSA");
        X509Certificate self =
                TestChains.foreign(rsa, "SHA256withRSA", rsa.getPrivate(), "CN=example", "CN=example", NOW);
        assertThat(refusal(self)).hasMessageContaining("certificate chain: 1 certificates (expected: 2");
        assertThat(refusal(self, self)).hasMessage("identity certificate: key algorithm RSA (expected: Ed25519)");
        assertThat(refusal(self, ALICE.certificate()))
                .hasMessageContaining("key algorithm RSA (expected: EC on curve P-256)");
    }

    @Test
    void verify_leafOnAnotherCurve_isRefused() throws Exception {
        var generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp384r1"));
        KeyPair p384 = generator.generateKeyPair();
        X509v3CertificateBuilder builder = CertificateIssuer.transportCertificate(
                ALICE.peerId(), p384, NOW.minus(HOUR), NOW.plus(HOUR), ALICE.peerId());
        assertThat(refusal(CertificateIssuer.sign(builder, ALICE), ALICE.certificate()))
                .hasMessageContaining("key algorithm EC (expected: EC on curve P-256)");
    }

    @Test
    void verify_leafWithEd25519Key_isRefused() throws Exception {
        X509v3CertificateBuilder builder = CertificateIssuer.transportCertificate(
                ALICE.peerId(), TestChains.keys("Ed25519"), NOW.minus(HOUR), NOW.plus(HOUR), ALICE.peerId());
        assertThat(refusal(CertificateIssuer.sign(builder, ALICE), ALICE.certificate()))
                .hasMessageContaining("(expected: EC on curve P-256)");
    }

    @Test
    void verify_identityNotSignedByItself_isRefused() throws Exception {
        X509Certificate[] chain = chain(ALICE.issueTransportCredential(CLOCK));
        KeyPair keys = TestChains.keys("Ed25519");
        KeyPair ec = CertificateIssuer.newP256KeyPair();
        X509Certificate byAnother =
                TestChains.foreign(keys, "Ed25519", TestChains.keys("Ed25519").getPrivate(), "CN=x", "CN=x", NOW);
        PeerId peer = PeerId.of(keys.getPublic());
        // The leaf is checked first, as far as it costs nothing, so it must fit.
        X509v3CertificateBuilder fitting =
                CertificateIssuer.transportCertificate(peer, ec, NOW.minus(HOUR), NOW.plus(HOUR), peer);
        String name = "CN=" + peer;
        X509Certificate forged =
                TestChains.foreign(keys, "Ed25519", TestChains.keys("Ed25519").getPrivate(), name, name, NOW);
        assertThat(refusal(CertificateIssuer.sign(fitting, ALICE), forged))
                .hasMessage("identity certificate of peer " + peer + ": not signed by itself");
        assertThat(refusal(chain[0], byAnother)).hasMessageContaining("unexpected issuer");
        X509Certificate byEc = TestChains.foreign(keys, "SHA256withECDSA", ec.getPrivate(), "CN=x", "CN=x", NOW);
        assertThat(refusal(chain[0], byEc))
                .hasMessageContaining("signature algorithm SHA256withECDSA (expected: Ed25519)");
        X509Certificate otherName = TestChains.foreign(keys, "Ed25519", keys.getPrivate(), "CN=y", "CN=x", NOW);
        assertThat(refusal(chain[0], otherName)).hasMessageContaining("unexpected issuer CN=y");
        X509Certificate harmfulName =
                TestChains.foreign(keys, "Ed25519", keys.getPrivate(), "CN=a\u001b[2J\u202eb", "CN=x", NOW);
        assertThat(refusal(chain[0], harmfulName)).message().matches("[ -~]*unexpected issuer [ -~]*");
    }

    @Test
    void verify_identityExpired_isRefused() throws Exception {
        KeyPair keys = TestChains.keys("Ed25519");
        X509Certificate old =
                TestChains.foreign(keys, "Ed25519", keys.getPrivate(), "CN=x", "CN=x", NOW.minus(Duration.ofDays(3)));
        assertThat(refusal(chain(ALICE.issueTransportCredential(CLOCK))[0], old))
                .isInstanceOf(CertificateExpiredException.class)
                .hasMessageStartingWith("identity certificate of peer ");
    }

    @Test
    void verify_aBitOfAChainFlipped_isRefusedOrTheSame() throws Exception {
        X509Certificate[] chain = chain(ALICE.issueTransportCredential(CLOCK));
        for (int position = 0; position < chain.length; position++) {
            byte[] encoded = chain[position].getEncoded();
            for (int bit = 0; bit < encoded.length * 8; bit += 3) {
                byte[] flipped = encoded.clone();
                flipped[bit / 8] ^= (byte) (1 << (bit % 8));
                if (isAccepted(chain, position, flipped)) {
                    // Some encodings of a signature are equivalent, for example with its zero bits declared as unused.
                    assertThat(bit / 8).as("byte").isBetween(encoded.length - 65, encoded.length - 64);
                }
            }
        }
    }

    private static boolean isAccepted(X509Certificate[] chain, int position, byte[] replacement) {
        X509Certificate[] replaced = chain.clone();
        try {
            replaced[position] = TestChains.parse(replacement);
        } catch (Exception e) {
            // Runtime exceptions of the JDK's parser count, too: the certificate is never passed to the verifier.
            return false;
        }
        try {
            assertThat(PeerCertificateVerifier.verify(replaced, CLOCK)).isEqualTo(ALICE.peerId());
            return true;
        } catch (CertificateException e) {
            return false;
        }
    }

    private interface Change {
        void apply(X509v3CertificateBuilder builder) throws IOException;
    }

    private static TransportCredential changed(Change change) {
        return TestChains.issued(ALICE, ALICE.peerId(), ALICE.peerId(), NOW.minus(HOUR), NOW.plus(HOUR), builder -> {
            try {
                change.apply(builder);
                return builder;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static Clock at(Instant instant) {
        return Clock.fixed(instant, ZoneOffset.UTC);
    }

    private static CertificateException refusal(X509Certificate... chain) {
        return refusal(chain, NOW);
    }

    private static CertificateException refusal(X509Certificate[] chain, Instant now) {
        CertificateException e =
                catchThrowableOfType(CertificateException.class, () -> PeerCertificateVerifier.verify(chain, at(now)));
        assertThat(e).as("a refusal").isNotNull();
        return e;
    }
}
