package io.parley.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.parley.id.PeerId;
import io.parley.identity.internal.DataSignatures;
import io.parley.identity.internal.P256;
import io.parley.identity.internal.PeerCertificateVerifier;
import io.parley.identity.internal.TransportBindingExtension;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.Security;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class IdentityTest {
    /** RFC 8032 section 7.1, test 1. */
    private static final byte[] RFC_SEED =
            HexFormat.of().parseHex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");

    private static final String RFC_PEER = "25njqamcweflpvkl73j4szahhihoc4xt3ktcgjnpaingr5yhkenf3snc";

    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-21T10:00:00.987Z"), ZoneOffset.UTC);
    private static final byte[] DATA = "Will it rain?".getBytes(StandardCharsets.UTF_8);

    private final Identity alice = Identity.generate();

    @Test
    void ofSeed_rfcKey_hasItsPeerIdAndSignature() {
        Identity identity = Identity.ofSeed(RFC_SEED.clone());
        assertThat(identity.peerId().text()).isEqualTo(RFC_PEER);
        assertThat(HexFormat.of().formatHex(identity.signRaw(new byte[0])))
                .isEqualTo(
                        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
                                + "d25bf5f0595bbe24655141438e7a100b");
    }

    @Test
    void generate_twice_givesTwoPeers() {
        assertThat(Identity.generate().peerId()).isNotEqualTo(alice.peerId());
    }

    @Test
    void toString_hasNoSecret() {
        assertThat(alice).hasToString("Identity[" + alice.peerId() + "]");
        assertThat(alice.issueTransportCredential(CLOCK).toString())
                .contains("2026-11-22T10:00:00Z", alice.peerId().text())
                .doesNotContain("PRIVATE", "key");
    }

    @Test
    void verify_ownSignature_holds() {
        byte[] signature = alice.sign(DATA);
        assertThat(signature).hasSize(Identity.SIGNATURE_BYTES).isEqualTo(alice.sign(DATA));
        assertThat(Identity.verify(alice.peerId(), DATA, signature)).isTrue();
        assertThat(Identity.verify(alice.peerId(), new byte[0], alice.sign(new byte[0])))
                .isTrue();
    }

    @Test
    void verify_anyBitChanged_fails() {
        byte[] signature = alice.sign(DATA);
        for (int bit = 0; bit < signature.length * 8; bit += 3) {
            assertThat(Identity.verify(alice.peerId(), DATA, flip(signature, bit)))
                    .as("bit %d", bit)
                    .isFalse();
        }
        for (int bit = 0; bit < DATA.length * 8; bit += 7) {
            assertThat(Identity.verify(alice.peerId(), flip(DATA, bit), signature))
                    .as("bit %d", bit)
                    .isFalse();
        }
        assertThat(Identity.verify(Identity.generate().peerId(), DATA, signature))
                .isFalse();
    }

    @Test
    void verify_otherLength_fails() {
        byte[] signature = alice.sign(DATA);
        for (int length : new int[] {0, 1, 32, 63, 65, 128}) {
            assertThat(Identity.verify(alice.peerId(), DATA, Arrays.copyOf(signature, length)))
                    .isFalse();
        }
    }

    @Test
    void verify_orderAddedToS_fails() {
        // RFC 8032 section 5.1.7 requires s below the group order; otherwise signatures are malleable.
        BigInteger order = BigInteger.TWO.pow(252).add(new BigInteger("27742317777372353535851937790883648493"));
        byte[] signature = alice.sign(DATA);
        byte[] s = reversed(Arrays.copyOfRange(signature, 32, 64));
        byte[] moved = reversed(fixed(new BigInteger(1, s).add(order)));
        System.arraycopy(moved, 0, signature, 32, 32);
        assertThat(Identity.verify(alice.peerId(), DATA, signature)).isFalse();
    }

    @Test
    void verify_peerIdThatIsNoKeyOrEverybodys_fails() {
        byte[] forged = new byte[64];
        forged[0] = 1; // R is the neutral element and s is zero: valid for any data under a key of order 1.
        for (String key : List.of(
                "0100000000000000000000000000000000000000000000000000000000000000",
                "0100000000000000000000000000000000000000000000000000000000000080",
                "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                "0000000000000000000000000000000000000000000000000000000000000000",
                "0000000000000000000000000000000000000000000000000000000000000080",
                "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
                "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
                "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
                "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
                "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                "0200000000000000000000000000000000000000000000000000000000000000")) {
            PeerId invalid = PeerId.ofBytes(HexFormat.of().parseHex(key));
            assertThat(DataSignatures.isKey(invalid)).as(key).isFalse();
            for (int i = 0; i < 16; i++) {
                assertThat(Identity.verify(invalid, new byte[] {(byte) i}, forged))
                        .as(key)
                        .isFalse();
            }
        }
        assertThat(DataSignatures.isKey(alice.peerId())).isTrue();
    }

    @Test
    void sign_bytesOfACertificate_givesNoSignatureForIt() throws Exception {
        byte[] toBeSigned = alice.issueTransportCredential(CLOCK).chain().get(0).getTBSCertificate();
        byte[] signature = alice.sign(toBeSigned);
        Signature verifier = Signature.getInstance("Ed25519");
        verifier.initVerify(alice.peerId().publicKey());
        verifier.update(toBeSigned);
        assertThat(verifier.verify(signature)).isFalse();
    }

    @Test
    void certificate_isAFunctionOfTheKey() throws Exception {
        byte[] encoded = Identity.ofSeed(RFC_SEED.clone()).certificate().getEncoded();
        assertThat(encoded)
                .isEqualTo(Identity.ofSeed(RFC_SEED.clone()).certificate().getEncoded());
        // A change of this value breaks the compatibility with peers of other versions.
        assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(encoded)))
                .isEqualTo("e712d03fc85e7a7ab5594ffd31912c2131894a8e3da840042886dbd3cb1ed0c0");
    }

    @Test
    void certificate_inALocaleWithItsOwnCalendarAndDigits_isTheSame() throws Exception {
        Locale before = Locale.getDefault();
        try {
            for (String tag : List.of("th-TH-u-ca-buddhist-nu-thai", "ar-SA-u-nu-arab", "tr-TR")) {
                Locale.setDefault(Locale.forLanguageTag(tag));
                Identity again = Identity.ofSeed(alice.seed());
                assertThat(again.certificate().getEncoded())
                        .isEqualTo(alice.certificate().getEncoded());
                PeerCertificateVerifier.verify(chain(again.issueTransportCredential(CLOCK)), CLOCK);
            }
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void certificate_namesThePeerAndIsItsOwnIssuer() throws Exception {
        X509Certificate certificate = alice.certificate();
        certificate.verify(alice.peerId().publicKey());
        assertThat(certificate.getSubjectX500Principal().getName()).isEqualTo("CN=" + alice.peerId());
        assertThat(certificate.getIssuerX500Principal()).isEqualTo(certificate.getSubjectX500Principal());
        assertThat(PeerId.of(certificate.getPublicKey())).isEqualTo(alice.peerId());
        assertThat(certificate.getNotAfter().toInstant()).isEqualTo("9999-12-31T23:59:59Z");
    }

    @Test
    void issueTransportCredential_isShortLivedAndBackdated() throws Exception {
        TransportCredential credential = alice.issueTransportCredential(CLOCK);
        X509Certificate leaf = credential.chain().get(0);
        assertThat(credential.chain()).hasSize(2).endsWith(alice.certificate());
        assertThat(leaf.getNotBefore().toInstant()).isEqualTo("2026-11-21T09:00:00Z");
        assertThat(leaf.getNotAfter().toInstant()).isEqualTo("2026-11-22T10:00:00Z");
        assertThat(credential.notAfter()).isEqualTo("2026-11-22T10:00:00Z");
        assertThat(P256.isKey(leaf.getPublicKey())).isTrue();
        assertThat(leaf.getCriticalExtensionOIDs()).doesNotContain(TransportBindingExtension.OID);
        assertThat(leaf.getNonCriticalExtensionOIDs()).contains(TransportBindingExtension.OID);

        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(credential.key());
        signature.update(DATA);
        byte[] signed = signature.sign();
        signature.initVerify(leaf.getPublicKey());
        signature.update(DATA);
        assertThat(signature.verify(signed)).isTrue();
    }

    @Test
    void issueTransportCredential_twice_hasAnotherKeyAndSerial() {
        TransportCredential first = alice.issueTransportCredential(CLOCK);
        TransportCredential second = alice.issueTransportCredential(CLOCK);
        assertThat(first.chain().get(0).getPublicKey())
                .isNotEqualTo(second.chain().get(0).getPublicKey());
        assertThat(first.chain().get(0).getSerialNumber())
                .isNotEqualTo(second.chain().get(0).getSerialNumber())
                .isPositive();
    }

    @Test
    void issueTransportCredential_validityOutOfRange_namesIt() throws Exception {
        for (Duration validity : List.of(
                Duration.ZERO,
                Duration.ofMillis(999),
                Duration.ofHours(-1),
                Duration.ofDays(7).plusNanos(1))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> alice.issueTransportCredential(CLOCK, validity))
                    .withMessage("validity: " + validity + " (expected: PT1S to PT168H)");
        }
        PeerCertificateVerifier.verify(chain(alice.issueTransportCredential(CLOCK, Duration.ofSeconds(1))), CLOCK);
        PeerCertificateVerifier.verify(
                chain(alice.issueTransportCredential(CLOCK, Identity.MAX_CREDENTIAL_VALIDITY)), CLOCK);
    }

    @Test
    void bouncyCastle_isNotRegistered() {
        alice.issueTransportCredential(CLOCK);
        assertThat(Security.getProvider("BC")).isNull();
    }

    private static X509Certificate[] chain(TransportCredential credential) {
        return credential.chain().toArray(new X509Certificate[0]);
    }

    private static byte[] flip(byte[] bytes, int bit) {
        byte[] flipped = bytes.clone();
        flipped[bit / 8] ^= (byte) (1 << (bit % 8));
        return flipped;
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }

    private static byte[] fixed(BigInteger number) {
        byte[] bytes = number.toByteArray();
        byte[] fixed = new byte[32];
        int length = Math.min(32, bytes.length);
        System.arraycopy(bytes, bytes.length - length, fixed, 32 - length, length);
        return fixed;
    }
}
