package io.parley.testkit.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.encoding.EncodingChannel;
import io.parley.encoding.EncodingScheme;
import io.parley.error.ErrorCode;
import io.parley.error.InvalidCallException;
import io.parley.error.PeerFaultException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.testkit.TestSeed;
import io.parley.testkit.codec.ByteMutator;
import io.parley.testkit.codec.MessageGenerator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract suite of {@link EncodingScheme}. The test of a scheme extends this class and implements {@link #scheme},
 * which returns the scheme under test, and {@link #encodable}, which returns an element for it. It overrides
 * {@link #isInstalled} if the scheme is not on the class path. A bug found in one scheme becomes a test case here.
 */
public abstract class EncodingSchemeContractTest {
    private static final long MEBIBYTE = 1 << 20;
    private static final int SAMPLES = 20;
    private static final EncodingChannel CHANNEL =
            new FixedChannel(Identity.generate().peerId(), Identity.generate().peerId(), "pipe", "any", 0, 0);

    /** A channel whose position does not change. */
    private record FixedChannel(
            PeerId sender, PeerId receiver, String service, String parameter, long messageNumber, int elementIndex)
            implements EncodingChannel {}

    /** Returns the scheme under test, as the service loader creates it. */
    protected abstract EncodingScheme scheme();

    /** Returns a new instance of the scheme for a channel, which is the same channel in each call. */
    protected final EncodingScheme instance() {
        return scheme().forChannel(CHANNEL);
    }

    /** Returns an element that the scheme accepts and encodes, with more than 1 byte and less than 64 KiB. */
    protected abstract MessageElement encodable(Random random);

    /** Returns whether the scheme is on the class path. A scheme with keys or a dictionary is created by the application. */
    protected boolean isInstalled() {
        return true;
    }

    @Test
    protected void scheme_isFoundOnTheClassPath() {
        assertThat(scheme().maxEventLoopBytes()).isNotNegative();
        if (isInstalled()) {
            assertThat(ServiceLoader.load(EncodingScheme.class))
                    .filteredOn(found -> found.name().equals(scheme().name()))
                    .singleElement()
                    .hasSameClassAs(scheme());
        }
        assertThat(scheme().name()).matches("[a-z0-9.-]{1,32}");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    protected void roundTrip_elementsMadeForIt_givesTheSameBytes(long variant) {
        long seed = Long.getLong(TestSeed.PROPERTY, variant);
        Random random = new Random(seed);
        EncodingScheme encoder = instance();
        EncodingScheme decoder = instance();
        for (int i = 0; i < 50; i++) {
            MessageElement element = encodable(random);
            assertThat(scheme().accepts(element)).as("accepts %s", element).isTrue();
            MessageElement encoded = encoded(encoder, element);
            assertThat(decoder.decode(encoded, element.size()))
                    .as("seed %d, element %d", seed, i)
                    .isEqualTo(element.payload());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {4, 5, 6})
    protected void roundTrip_anyMessage_givesAnEqualOne(long variant) {
        long seed = Long.getLong(TestSeed.PROPERTY, variant);
        MessageGenerator messages = new MessageGenerator(seed, true);
        Random random = new Random(seed);
        EncodingScheme encoder = instance();
        EncodingScheme decoder = instance();
        for (int i = 0; i < 100; i++) {
            for (MessageElement element : messages.next(8).with(encodable(random))) {
                Optional<Payload> payload = encoder.accepts(element) ? encoder.encode(element) : Optional.empty();
                if (payload.isPresent()) {
                    Payload decoded = decoder.decode(element.withPayload(payload.get()), 16 * MEBIBYTE);
                    assertThat(element.withPayload(decoded))
                            .as("seed %d, message %d", seed, i)
                            .isEqualTo(element);
                }
            }
        }
    }

    @Test
    protected void roundTrip_rangeOfAnArray_leavesTheRestAlone() {
        MessageElement element = encodable(new Random(7));
        byte[] bytes = element.toByteArray();
        byte[] shared = new byte[bytes.length + 5];
        Arrays.fill(shared, (byte) '!');
        System.arraycopy(bytes, 0, shared, 2, bytes.length);
        byte[] before = shared.clone();
        MessageElement range = element.withPayload(Payload.of(shared, 2, bytes.length));
        MessageElement encoded = encoded(instance(), range);
        byte[] encodedBytes = encoded.toByteArray();
        byte[] sharedEncoded = new byte[encodedBytes.length + 5];
        System.arraycopy(encodedBytes, 0, sharedEncoded, 3, encodedBytes.length);
        Payload decoded =
                instance().decode(element.withPayload(Payload.of(sharedEncoded, 3, encodedBytes.length)), bytes.length);
        assertThat(decoded.toByteArray()).isEqualTo(bytes);
        assertThat(shared).isEqualTo(before);
    }

    @Test
    protected void encode_twoChannels_knowNothingOfEachOther() {
        MessageElement first = encodable(new Random(8));
        MessageElement second = encodable(new Random(9));
        EncodingScheme busy = instance();
        encoded(busy, first);
        assertThat(encoded(instance(), second)).isEqualTo(encoded(instance(), second));
        if (scheme().maxStateBytes() == 0) {
            assertThat(encoded(busy, second)).isEqualTo(encoded(instance(), second));
        }
    }

    // -- limits

    @Test
    protected void decode_oneByteMoreThanAllowed_exceedsTheLimit() {
        MessageElement element = encodable(new Random(10));
        MessageElement encoded = encoded(instance(), element);
        assertThat(instance().decode(encoded, element.size())).isEqualTo(element.payload());
        for (long maxBytes : new long[] {element.size() - 1, element.size() / 2, 0}) {
            assertThatThrownBy(() -> instance().decode(encoded, maxBytes))
                    .isInstanceOfSatisfying(
                            PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                    .hasMessageContaining(Long.toString(maxBytes));
        }
    }

    // -- invalid input

    @Test
    protected void decode_everyTruncation_isThePeersFault() {
        MessageElement element = encodable(new Random(11));
        byte[] bytes = encoded(instance(), element).toByteArray();
        for (int length = 0; length < bytes.length; length++) {
            MessageElement cut = element.withPayload(Payload.of(bytes, 0, length));
            assertThatThrownBy(() -> instance().decode(cut, MEBIBYTE))
                    .as("cut to %d of %d bytes", length, bytes.length)
                    .isInstanceOfSatisfying(
                            PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE));
        }
    }

    @Test
    protected void decode_everyBitFlipped_givesBytesOrThePeerIsAtFault() {
        MessageElement element = encodable(new Random(12));
        byte[] bytes = encoded(instance(), element).toByteArray();
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertDecodesOrPeerIsAtFault(element, flipped, "bit " + bit);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23})
    protected void decode_noise_givesBytesOrThePeerIsAtFault(long variant) {
        long seed = Long.getLong(TestSeed.PROPERTY, variant);
        Random random = new Random(seed);
        MessageElement element = encodable(random);
        for (int i = 0; i < 500; i++) {
            byte[] noise = new byte[random.nextInt(200)];
            random.nextBytes(noise);
            assertDecodesOrPeerIsAtFault(element, noise, "seed " + seed + ", input " + i);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {31, 32, 33})
    protected void decode_mutated_givesBytesOrThePeerIsAtFault(long variant) {
        long seed = Long.getLong(TestSeed.PROPERTY, variant);
        Random random = new Random(seed);
        ByteMutator mutator = new ByteMutator(seed);
        List<MessageElement> elements = new ArrayList<>();
        List<byte[]> contents = new ArrayList<>();
        for (int i = 0; i < SAMPLES; i++) {
            MessageElement element = encodable(random);
            elements.add(element);
            contents.add(encoded(instance(), element).toByteArray());
        }
        for (int i = 0; i < 1000; i++) {
            int sample = i % SAMPLES;
            assertDecodesOrPeerIsAtFault(
                    elements.get(sample), mutator.mutate(contents.get(sample)), "seed " + seed + ", input " + i);
        }
    }

    private void assertDecodesOrPeerIsAtFault(MessageElement element, byte[] bytes, String what) {
        long maxBytes = 2 * element.size();
        try {
            Payload decoded = instance().decode(element.withPayload(Payload.of(bytes)), maxBytes);
            assertThat(decoded.size()).as(what).isLessThanOrEqualTo(maxBytes);
            assertThat(decoded.size())
                    .as("stated maximum, " + what)
                    .isLessThanOrEqualTo(instance().maxDecodedBytes(element.withPayload(Payload.of(bytes))));
        } catch (PeerFaultException e) {
            assertThat(e.code()).as(what).isIn(ErrorCode.MALFORMED_MESSAGE, ErrorCode.LIMIT_EXCEEDED);
        } catch (InvalidCallException e) { // the bytes name a key or a dictionary that this peer lacks
            assertThat(e.code()).as(what).isEqualTo(ErrorCode.NO_COMMON_CODEC);
        } catch (RuntimeException | Error e) {
            throw new AssertionError(what + ": " + Arrays.toString(bytes), e);
        }
    }

    private static MessageElement encoded(EncodingScheme scheme, MessageElement element) {
        Payload payload = scheme.encode(element)
                .orElseThrow(() -> new AssertionError("not encoded: " + element + " " + element.text()));
        return element.withPayload(payload);
    }
}
