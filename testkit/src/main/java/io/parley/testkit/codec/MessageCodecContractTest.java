package io.parley.testkit.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.PeerFaultException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.TestSeed;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract suite of {@link MessageCodec}. The test of a codec extends this class and implements {@link #codec}, which
 * returns the codec under test. It overrides {@link #carriesSignatures} if the format cannot represent signatures, and
 * {@link #stateBytes} if the test can measure the state of a session. A bug found in one codec becomes a test case here.
 *
 * <p>Each test fails if the codec does not release all buffers of the allocator that it was given. Some tests use contents
 * of 64 MB several times and need a heap of at least 512 MB.
 */
public abstract class MessageCodecContractTest extends CodecBufferContract {
    // -- messages of different forms

    @Test
    protected void codec_isFoundOnTheClassPath() {
        assertThat(ServiceLoader.load(MessageCodec.class))
                .filteredOn(found -> found.name().equals(codec().name()))
                .singleElement()
                .isInstanceOf(codec().getClass());
        assertThat(codec().contentType()).contains("/");
    }

    @Test
    protected void roundTrip_emptyMessage() {
        assertRoundTrip(Message.EMPTY);
    }

    @Test
    protected void roundTrip_emptyNameAndContent() {
        assertRoundTrip(Message.of("", new byte[0]));
        assertRoundTrip(Message.of("", ""));
    }

    @Test
    protected void roundTrip_unicode() {
        String text = "Grüße, 世界, \uD83D\uDE80, \u0000, \uFFFD, \r\n";
        String name = "名前 \uD83D\uDE80 \uFFFD <&>";
        Message message = Message.of(MessageElement.ofText(name, text).withNamespace("простір"));
        assertThat(assertRoundTrip(message)
                        .element("простір", name)
                        .orElseThrow()
                        .text())
                .isEqualTo(text);
    }

    @Test
    protected void roundTrip_textTypeWithBytesThatAreNoText() {
        assertRoundTrip(Message.of(
                MessageElement.of("a", new byte[] {-1, 0, -128, 13}).withType(MessageElement.TYPE_TEXT),
                MessageElement.of("b", new byte[] {-1, -2, 0}).withType("text/plain;charset=no-such-charset"),
                MessageElement.ofXml("c", "<a><b>").withType(MessageElement.TYPE_XML)));
    }

    @Test
    protected void roundTrip_duplicates_keepsAllInOrder() {
        Message message = Message.builder()
                .add(MessageElement.ofText("1", "a").withNamespace("z"))
                .add("2", "b")
                .add(MessageElement.ofText("1", "c").withNamespace("z"))
                .add("2", "b")
                .build();
        assertThat(assertRoundTrip(message).elements("z", "1"))
                .extracting(MessageElement::text)
                .containsExactly("a", "c");
    }

    @Test
    protected void roundTrip_manyElements() {
        List<MessageElement> elements = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            elements.add(MessageElement.ofText("name" + i % 100, "content " + i).withNamespace("ns" + i % 10));
        }
        assertRoundTrip(Message.of(elements));
    }

    @Test
    protected void roundTrip_manyNamespaces() {
        List<MessageElement> elements = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            elements.add(MessageElement.of("n", new byte[] {1}).withNamespace("ns" + i));
        }
        assertRoundTrip(Message.of(elements));
    }

    @Test
    protected void roundTrip_sixtyFourMegabytes() {
        byte[] content = new byte[64 * MEBIBYTE];
        new Random(64).nextBytes(content);
        Message message = Message.builder()
                .add("before", "a")
                .add("large", content)
                .add("after", "b")
                .build();
        assertRoundTrip(
                message, LIMITS.toBuilder().maxMessageBytes(128 * MEBIBYTE).build());
    }

    @Test
    protected void roundTrip_sixtyFourMegabytesOfText() {
        String line = "Grüße, 世界 \uD83D\uDE80 <a&b>\r\n";
        int lineBytes = line.getBytes(StandardCharsets.UTF_8).length;
        Message message = Message.of(
                MessageElement.ofText("before", "a"),
                MessageElement.ofText("large", line.repeat(64 * MEBIBYTE / lineBytes)),
                MessageElement.ofText("after", "b"));
        assertRoundTrip(
                message, LIMITS.toBuilder().maxMessageBytes(128 * MEBIBYTE).build());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4095, 8191, 8192, 65_000, 65_535, 65_536, 65_537, 200_000})
    protected void roundTrip_contentOfEverySize(int size) {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        assertRoundTrip(Message.of("bytes", content));
        assertRoundTrip(Message.of(MessageElement.ofText("text", "x".repeat(size)), MessageElement.of("b", content)));
    }

    @Test
    protected void signature_isCarriedOrRefused() {
        Message message = Message.of(MessageElement.ofText("signed", "text")
                .withNamespace("app")
                .withSignature(MessageElement.of("by", new byte[] {1, 2}).withType("application/x-signature")));
        if (carriesSignatures()) {
            assertRoundTrip(message);
        } else {
            assertThatThrownBy(() -> encode(message, LIMITS)).satisfies(hasCode(ErrorCode.NOT_ENCODABLE));
        }
    }

    // -- files

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 70_000, 3 * MEBIBYTE + 1})
    protected void encode_file_isReadWhole(int size) throws IOException {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        Path file = Files.write(directory.resolve("file"), content);
        Message sent = Message.builder()
                .add("before", "a")
                .add(MessageElement.ofFile("file", file))
                .add("after", "b")
                .build();
        Message expected = Message.builder()
                .add("before", "a")
                .add("file", content)
                .add("after", "b")
                .build();
        assertDecodes(encode(sent, LIMITS), expected, LIMITS);
    }

    @Test
    protected void encode_regionOfAGrowingFile_isWhatWasAskedFor() throws IOException {
        Path file = Files.write(directory.resolve("file"), new byte[] {0, 1, 2, 3, 4});
        Message sent = Message.of(MessageElement.ofFile("file", file, 1, 3));
        Files.write(file, new byte[] {5, 6}, StandardOpenOption.APPEND);
        assertDecodes(encode(sent, LIMITS), Message.of("file", new byte[] {1, 2, 3}), LIMITS);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 3 * MEBIBYTE})
    protected void encode_fileThatShrankOrIsGone_failsAndReleasesAll(int size) throws IOException {
        Path file = Files.write(directory.resolve("file"), new byte[size]);
        Message sent = Message.of(MessageElement.ofFile("file", file));
        Files.write(file, new byte[size - 50]);
        assertThatThrownBy(() -> encode(sent, LIMITS))
                .satisfies(hasCode(ErrorCode.NOT_ENCODABLE))
                .hasMessageContaining(file.toString())
                .hasMessageContaining(Integer.toString(size));
        Files.delete(file);
        assertThatThrownBy(() -> encode(sent, LIMITS)).satisfies(hasCode(ErrorCode.NOT_ENCODABLE));
    }

    // -- limits: the maximum passes, one more fails, in both directions

    @Test
    protected void limit_elements() {
        assertLimit(
                ofElements(10),
                ofElements(11),
                (limits, max) -> limits.toBuilder().maxElements(max).build(),
                10,
                "maxElements");
    }

    @Test
    protected void limit_nameBytes() {
        // Three bytes of UTF-8 each. All are longer than the default type, so that a format may write or omit the type.
        String string30 = "€".repeat(10);
        String string31 = string30 + "x";
        BiFunction<MessageLimits, Integer, MessageLimits> maxNameBytes =
                (limits, max) -> limits.toBuilder().maxNameBytes(max).build();
        MessageElement bytes = MessageElement.of("n", new byte[0]);
        assertLimit(
                Message.of(bytes.withName(string30)),
                Message.of(bytes.withName(string31)),
                maxNameBytes,
                30,
                "maxNameBytes");
        assertLimit(
                Message.of(bytes.withNamespace(string30)),
                Message.of(bytes.withNamespace(string31)),
                maxNameBytes,
                30,
                "maxNameBytes");
        assertLimit(
                Message.of(bytes.withType("a/" + "x".repeat(28))),
                Message.of(bytes.withType("a/" + "x".repeat(29))),
                maxNameBytes,
                30,
                "maxNameBytes");
    }

    @Test
    protected void limit_namespaces() {
        assertLimit(
                ofNamespaces(5),
                ofNamespaces(6),
                (limits, max) -> limits.toBuilder().maxNamespaces(max).build(),
                5,
                "maxNamespaces");
        // The empty namespace and "jxta" are not counted.
        assertLimit(
                Message.of(MessageElement.ofText("n", "").withNamespace("jxta"), MessageElement.ofText("n", "")),
                ofNamespaces(1),
                (limits, max) -> limits.toBuilder().maxNamespaces(max).build(),
                0,
                "maxNamespaces");
    }

    @Test
    protected void limit_elementBytes() {
        assertLimit(
                Message.of("n", new byte[1000]),
                Message.of("n", new byte[1001]),
                (limits, max) -> limits.toBuilder().maxElementBytes(max).build(),
                1000L,
                "maxElementBytes");
    }

    @Test
    protected void limit_messageBytes() {
        Message message = sample();
        long size = encodedBytes(message).length;
        assertRoundTrip(message, LIMITS.toBuilder().maxMessageBytes(size).build());
        MessageLimits less = LIMITS.toBuilder().maxMessageBytes(size - 1).build();
        assertThatThrownBy(() -> encode(message, less))
                .satisfies(hasCode(ErrorCode.MESSAGE_TOO_LARGE))
                .hasMessageContaining("maxMessageBytes")
                .hasMessageContaining(Long.toString(size - 1));
        assertThatThrownBy(() -> decode(encodedBytes(message), less))
                .satisfies(hasCode(ErrorCode.LIMIT_EXCEEDED))
                .hasMessageContaining("maxMessageBytes");
    }

    private <V> void assertLimit(
            Message allowed,
            Message tooMuch,
            BiFunction<MessageLimits, V, MessageLimits> setter,
            V value,
            String name) {
        MessageLimits limits = setter.apply(LIMITS, value);
        assertRoundTrip(allowed, limits);
        assertThatThrownBy(() -> encode(tooMuch, limits))
                .satisfies(hasCode(ErrorCode.MESSAGE_TOO_LARGE))
                .hasMessageContaining(name)
                .hasMessageContaining(value.toString());
        assertThatThrownBy(() -> decode(encodedBytes(tooMuch), limits))
                .satisfies(hasCode(ErrorCode.LIMIT_EXCEEDED))
                .hasMessageContaining(name);
    }

    // -- invalid input

    @Test
    protected void decode_everyTruncation_isMalformed() {
        Message message = sample();
        byte[] bytes = encodedBytes(message);
        for (int length = 0; length < bytes.length; length++) {
            ByteBuf cut = Unpooled.copiedBuffer(bytes, 0, length);
            Throwable thrown = catchThrowable(() -> codec().newSession(LIMITS).decode(cut));
            assertThat(thrown).as("cut to %d of %d bytes", length, bytes.length).isInstanceOf(PeerFaultException.class);
            assertThat(((ParleyException) thrown).code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE);
        }
    }

    @Test
    protected void decode_everyBitFlipped_givesAMessageOrThePeerIsAtFault() {
        byte[] bytes = encodedBytes(sample());
        for (int bit = 0; bit < bytes.length * 8; bit++) {
            byte[] flipped = bytes.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertDecodesOrPeerIsAtFault(flipped, "bit " + bit);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    protected void decode_noise_isThePeersFault(long variant) {
        long seed = Long.getLong(TestSeed.PROPERTY, variant);
        Random random = new Random(seed);
        for (int i = 0; i < 500; i++) {
            byte[] noise = new byte[random.nextInt(200)];
            random.nextBytes(noise);
            assertDecodesOrPeerIsAtFault(noise, "seed " + seed + ", input " + i);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23})
    protected void decode_mutatedMessages_givesAMessageOrThePeerIsAtFault(long variant) {
        long seed = Long.getLong(TestSeed.PROPERTY, variant);
        MessageGenerator messages = new MessageGenerator(seed, carriesSignatures());
        ByteMutator mutator = new ByteMutator(seed);
        for (int i = 0; i < 200; i++) {
            byte[] bytes = encodedBytes(messages.next(4));
            for (int mutation = 0; mutation < 5; mutation++) {
                assertDecodesOrPeerIsAtFault(mutator.mutate(bytes), "seed " + seed + ", message " + i + "." + mutation);
            }
        }
    }

    private void assertDecodesOrPeerIsAtFault(byte[] bytes, String what) {
        try {
            codec().newSession(LIMITS).decodesQuickly(Unpooled.wrappedBuffer(bytes));
            decode(bytes, LIMITS);
        } catch (PeerFaultException e) {
            assertThat(e.code()).as(what).isIn(ErrorCode.MALFORMED_MESSAGE, ErrorCode.LIMIT_EXCEEDED);
        } catch (RuntimeException | Error e) {
            throw new AssertionError(what + ": " + ByteBufUtil.hexDump(bytes), e);
        }
    }

    private static Message ofElements(int count) {
        List<MessageElement> elements = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            elements.add(MessageElement.ofText("name", "content"));
        }
        return Message.of(elements);
    }

    private static Message ofNamespaces(int count) {
        List<MessageElement> elements = new ArrayList<>();
        for (int i = 0; i < 2 * count; i++) {
            elements.add(MessageElement.ofText("name", "content").withNamespace("ns" + i % count));
        }
        return Message.of(elements);
    }
}
