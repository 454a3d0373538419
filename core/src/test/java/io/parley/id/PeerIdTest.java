package io.parley.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.parley.testkit.TestSeed;
import java.math.BigInteger;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PeerIdTest {
    /** RFC 8032 section 7.1, test 1. The text was computed by another program. */
    private static final byte[] RFC_KEY =
            HexFormat.of().parseHex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");

    private static final String RFC_TEXT = "25njqamcweflpvkl73j4szahhihoc4xt3ktcgjnpaingr5yhkenf3snc";

    @Test
    void text_ofKnownKey_isKnown() {
        PeerId id = PeerId.ofBytes(RFC_KEY);
        assertThat(id.text()).isEqualTo(RFC_TEXT);
        assertThat(id).hasToString(RFC_TEXT);
        assertThat(id.urn()).isEqualTo("urn:parley:peer:" + RFC_TEXT);
        assertThat(id.shortText()).isEqualTo("25njqamc");
    }

    @Test
    void text_ofExtremeBytes_isKnown() {
        byte[] ones = new byte[32];
        Arrays.fill(ones, (byte) 0xff);
        assertThat(PeerId.ofBytes(new byte[32]).text())
                .isEqualTo("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaeaqsv");
        assertThat(PeerId.ofBytes(ones).text()).isEqualTo("777777777777777777777777777777777777777777777777777tdlex");
    }

    @Test
    void of_jdkKeys_hasTheirEncodedBytes() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
        for (int i = 0; i < 50; i++) {
            PublicKey key = generator.generateKeyPair().getPublic();
            byte[] encoded = key.getEncoded();
            PeerId id = PeerId.of(key);
            // RFC 8410: the encoded key ends with the raw key.
            assertThat(id.toByteArray()).isEqualTo(Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length));
            assertThat(id.publicKey().getEncoded()).isEqualTo(encoded);
            assertThat(PeerId.of(id.publicKey())).isEqualTo(id);
        }
    }

    @Test
    void of_otherKeys_namesTheirKind() throws Exception {
        PublicKey ed448 =
                KeyPairGenerator.getInstance("Ed448").generateKeyPair().getPublic();
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(1024); // because a larger one takes seconds to find
        PublicKey rsa = generator.generateKeyPair().getPublic();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PeerId.of(ed448))
                .withMessage("key: Ed448 (expected: Ed25519)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PeerId.of(rsa))
                .withMessage("key: RSA (expected: Ed25519)");
    }

    @Test
    void publicKey_ofArbitraryBytes_isAKeyOrFails() {
        Random random = new Random(Long.getLong(TestSeed.PROPERTY, 8032));
        for (int i = 0; i < 500; i++) {
            byte[] bytes = new byte[32];
            random.nextBytes(bytes);
            PeerId id = PeerId.ofBytes(bytes);
            try {
                assertThat(PeerId.of(id.publicKey())).isEqualTo(id);
            } catch (IllegalStateException e) {
                assertThat(e).hasMessageContaining(id.text());
            }
        }
    }

    @Test
    void publicKey_yBeyondField_isNoKeyOrSameBytes() {
        byte[] bytes = new byte[32];
        Arrays.fill(bytes, (byte) 0xff);
        PeerId id = PeerId.ofBytes(bytes);
        try {
            assertThat(id.publicKey().getPoint().getY())
                    .isEqualTo(BigInteger.TWO.pow(255).subtract(BigInteger.ONE));
        } catch (IllegalStateException e) {
            assertThatIllegalStateException().isThrownBy(id::publicKey).withMessageContaining(id.text());
        }
    }

    @Test
    void ofBytes_otherLength_namesBoth() {
        for (int length : new int[] {0, 31, 33, 56}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> PeerId.ofBytes(new byte[length]))
                    .withMessage("bytes: " + length + " (expected: 32 for a peer id)");
        }
    }

    @Test
    void ofBytes_arrayChangedLater_idDoesNot() {
        byte[] bytes = RFC_KEY.clone();
        PeerId id = PeerId.ofBytes(bytes);
        bytes[0] ^= 1;
        id.toByteArray()[0] ^= 1;
        assertThat(id.toByteArray()).isEqualTo(RFC_KEY);
    }

    @Test
    void compareTo_isUnsignedAndFirstByteFirst() {
        PeerId low = PeerId.ofBytes(withFirst(0x01, 0xff));
        PeerId middle = PeerId.ofBytes(withFirst(0x7f, 0x00));
        PeerId high = PeerId.ofBytes(withFirst(0x80, 0x00));
        assertThat(List.of(high, low, middle).stream().sorted()).containsExactly(low, middle, high);
        assertThat(low.compareTo(PeerId.ofBytes(low.toByteArray()))).isZero();
    }

    private static byte[] withFirst(int first, int second) {
        byte[] bytes = new byte[32];
        bytes[0] = (byte) first;
        bytes[1] = (byte) second;
        return bytes;
    }
}
