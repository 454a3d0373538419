package io.parley.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.ErrorCode;
import io.parley.error.InvalidCallException;
import io.parley.error.PeerFaultException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.testkit.encoding.EncodingSchemeContractTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the encryption of elements, with the contract suite and with attacks. */
class AesGcmEncodingSchemeTest extends EncodingSchemeContractTest {

    private static final PeerId ALICE = Identity.generate().peerId();
    private static final PeerId BOB = Identity.generate().peerId();
    private static final PeerId CAROL = Identity.generate().peerId();
    private static final MessageElement ELEMENT =
            MessageElement.ofText("~gz~a", "secret").withNamespace("app");

    private record Position(
            PeerId sender, PeerId receiver, String service, String parameter, long messageNumber, int elementIndex)
            implements EncodingChannel {}

    private static final Position POSITION = new Position(ALICE, BOB, "pipe", "id", 7, 2);

    private final KeyRing keys = KeyRing.of("k1", key(1));
    private final AesGcmEncodingScheme scheme = new AesGcmEncodingScheme(keys);

    private static byte[] key(int seed) {
        byte[] key = new byte[KeyRing.KEY_BYTES];
        new Random(seed).nextBytes(key);
        return key;
    }

    @Override
    protected EncodingScheme scheme() {
        return scheme;
    }

    @Override
    protected MessageElement encodable(Random random) {
        byte[] bytes = new byte[2 + random.nextInt(300)];
        random.nextBytes(bytes);
        return MessageElement.of("e" + random.nextInt(3), bytes);
    }

    @Override
    protected boolean isInstalled() {
        return false;
    }

    /** Overridden: the encoding of an element is never the same, because each channel has a random key. */
    @Override
    @Test
    protected void encode_twoChannels_knowNothingOfEachOther() {
        assertThat(encrypt(scheme, POSITION).toByteArray())
                .isNotEqualTo(encrypt(scheme, POSITION).toByteArray());
    }

    private static MessageElement encrypt(EncodingScheme scheme, EncodingChannel channel) {
        return ELEMENT.withPayload(scheme.forChannel(channel).encode(ELEMENT).orElseThrow());
    }

    private static void assertRejected(EncodingScheme scheme, EncodingChannel channel, MessageElement encrypted) {
        assertThatThrownBy(() -> scheme.forChannel(channel).decode(encrypted, 1000))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE))
                .hasMessageContaining("not authentic");
    }

    private enum Part {
        SENDER(p -> new Position(CAROL, BOB, "pipe", "id", 7, 2), e -> e),
        RECEIVER(p -> new Position(ALICE, CAROL, "pipe", "id", 7, 2), e -> e),
        SERVICE(p -> new Position(ALICE, BOB, "pip", "id", 7, 2), e -> e),
        PIPE(p -> new Position(ALICE, BOB, "pipe", "di", 7, 2), e -> e),
        SERVICE_AND_PIPE(p -> new Position(ALICE, BOB, "pipei", "d", 7, 2), e -> e),
        MESSAGE_NUMBER(p -> new Position(ALICE, BOB, "pipe", "id", 8, 2), e -> e),
        ELEMENT_INDEX(p -> new Position(ALICE, BOB, "pipe", "id", 7, 1), e -> e),
        NAMESPACE(p -> p, e -> e.withNamespace("other")),
        NAME(p -> p, e -> e.withName("~gz~b")),
        MARK_BELOW(p -> p, e -> e.withName("a")),
        TYPE(p -> p, e -> e.withType("text/plain"));

        private final UnaryOperator<EncodingChannel> channel;
        private final UnaryOperator<MessageElement> element;

        Part(UnaryOperator<EncodingChannel> channel, UnaryOperator<MessageElement> element) {
            this.channel = channel;
            this.element = element;
        }
    }

    @ParameterizedTest
    @EnumSource(Part.class)
    void decode_otherAssociatedData_isRejected(Part part) {
        MessageElement encrypted = encrypt(scheme, POSITION);
        assertThat(scheme.forChannel(POSITION).decode(encrypted, 1000)).isEqualTo(ELEMENT.payload());
        assertRejected(scheme, part.channel.apply(POSITION), part.element.apply(encrypted));
    }

    @Test
    void decode_anyChangedBit_isRejected() {
        byte[] encrypted = encrypt(scheme, POSITION).toByteArray();
        for (int bit = 0; bit < encrypted.length * 8; bit++) {
            byte[] changed = encrypted.clone();
            changed[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> scheme.forChannel(POSITION).decode(ELEMENT.withPayload(Payload.of(changed)), 1000))
                    .as("bit %d", bit)
                    .isInstanceOfAny(PeerFaultException.class, InvalidCallException.class);
        }
    }

    @Test
    void decode_otherKeyOfTheSameId_isRejected() {
        AesGcmEncodingScheme other = new AesGcmEncodingScheme(KeyRing.of("k1", key(2)));
        assertRejected(other, POSITION, encrypt(scheme, POSITION));
    }

    @Test
    void decode_keyThatIsNotInTheRing_namesTheKey() {
        AesGcmEncodingScheme other = new AesGcmEncodingScheme(KeyRing.of("k2", key(1)));
        MessageElement encrypted = encrypt(scheme, POSITION);
        assertThatThrownBy(() -> other.forChannel(POSITION).decode(encrypted, 1000))
                .isInstanceOfSatisfying(
                        InvalidCallException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_COMMON_CODEC))
                .hasMessageContaining("key k1 is not in the key ring");
    }

    @Test
    void decode_repeatedOrSkippedElement_isRejected() {
        EncodingScheme sender = scheme.forChannel(POSITION);
        List<MessageElement> sent = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            sent.add(ELEMENT.withPayload(sender.encode(ELEMENT).orElseThrow()));
        }
        for (int second : new int[] {0, 2}) {
            EncodingScheme receiver = scheme.forChannel(POSITION);
            assertThat(receiver.decode(sent.get(0), 1000)).isEqualTo(ELEMENT.payload());
            if (second == 0) {
                EncodingChannel next = new Position(ALICE, BOB, "pipe", "id", 8, 2);
                assertRejected(scheme, next, sent.get(0)); // it begins a key, but not at this position
            } else {
                assertThatThrownBy(() -> receiver.decode(sent.get(2), 1000)).hasMessageContaining("not authentic");
            }
        }
    }

    @Test
    void selectedKey_changes_isUsedFromTheNextElementOn() {
        EncodingScheme sender = scheme.forChannel(POSITION);
        EncodingScheme receiver = scheme.forChannel(POSITION);
        for (String id : List.of("k1", "k2", "k2", "k1")) {
            keys.add("k2", key(2));
            keys.select(id);
            Payload encrypted = sender.encode(ELEMENT).orElseThrow();
            assertThat(receiver.decode(ELEMENT.withPayload(encrypted), 1000)).isEqualTo(ELEMENT.payload());
        }
        assertThatThrownBy(() -> keys.remove("k1")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> keys.select("k3")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> keys.add("k3", new byte[16])).hasMessageContaining("expected: 32");
        assertThatThrownBy(() -> keys.add("", key(3))).hasMessageContaining("expected: 1 to 64");
    }

    /** Of two senders and their restarts: with the same key stream, equal contents would have equal ciphertexts. */
    @Test
    void sendersAndRestarts_neverRepeatAKeyAndANonce() {
        Set<String> salts = new HashSet<>();
        Set<String> ciphertexts = new HashSet<>();
        int elements = 0;
        for (int restart = 0; restart < 20; restart++) {
            for (PeerId peer : List.of(ALICE, CAROL)) {
                AesGcmEncodingScheme process = new AesGcmEncodingScheme(KeyRing.of("k1", key(1)));
                EncodingScheme sender = process.forChannel(new Position(peer, BOB, "pipe", "id", 0, 0));
                for (int i = 0; i < 10; i++) {
                    byte[] encrypted = sender.encode(ELEMENT).orElseThrow().toByteArray();
                    int header = i == 0 ? 1 + 1 + 2 + 32 : 1;
                    if (i == 0) {
                        assertThat(salts.add(Arrays.toString(Arrays.copyOfRange(encrypted, 4, header))))
                                .isTrue();
                    }
                    byte[] ciphertext = Arrays.copyOfRange(encrypted, header, header + (int) ELEMENT.size());
                    ciphertexts.add(Arrays.toString(ciphertext));
                    elements++;
                }
            }
        }
        assertThat(ciphertexts).hasSize(elements);
    }

    @Test
    void toString_doesNotContainKeys() {
        assertThat(keys).hasToString("KeyRing [k1]");
    }
}
