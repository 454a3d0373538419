package io.parley.testkit.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.PeerFaultException;
import io.parley.message.BorrowScope;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tests of sessions: the state between messages, its bounds, and the separation of sessions. */
abstract class CodecSessionContract extends CodecTextContract {
    private static final int FEW_STATE_CHECKS = 2000;
    private static final int MANY_STATE_CHECKS = 50_000;
    /** The size of all strings of one element of {@link #fresh}, in bytes. */
    private static final int FRESH_BYTES = 200;

    // -- one session for many messages

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    protected void roundTrip_anyMessage_givesAnEqualOne(long variant) {
        long seed = Long.getLong(TestSeed.PROPERTY, variant);
        MessageGenerator messages = new MessageGenerator(seed, carriesSignatures());
        CodecChannel channel = channel(LIMITS);
        for (int i = 0; i < 200; i++) {
            channel.assertTransfers(messages.next(12), "seed " + seed + ", message " + i);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    protected void decodeBorrowed_bufferInParts_givesAnEqualMessage_untilTheScopeEnds(long variant) {
        long seed = Long.getLong(TestSeed.PROPERTY, variant);
        Random random = new Random(seed);
        MessageGenerator messages = new MessageGenerator(seed, carriesSignatures());
        CodecChannel channel = channel(LIMITS);
        for (int i = 0; i < 100; i++) {
            Message message = messages.next(12);
            ByteBuf parts = inParts(channel.encoder.encode(message, allocator), random);
            BorrowScope scope = new BorrowScope(parts::release);
            Message borrowed = channel.decoder.decodeBorrowed(parts, scope);
            assertThat(borrowed).as("seed %d, message %d", seed, i).isEqualTo(message);
            assertThat(message).isEqualTo(borrowed);
            assertThat(borrowed).hasSameHashCodeAs(message);
            assertThat(parts.refCnt()).isOne();
            scope.end();
            assertThat(parts.refCnt()).isZero();
            for (MessageElement element : borrowed) {
                if (element.payload().isBorrowed()) {
                    assertThatThrownBy(element::toByteArray).isInstanceOf(IllegalStateException.class);
                } else {
                    assertThat(element.toByteArray()).hasSize((int) element.size());
                }
            }
        }
    }

    /** Takes ownership of {@code encoded}. The caller must release the result. */
    private ByteBuf inParts(ByteBuf encoded, Random random) {
        CompositeByteBuf parts = allocator.compositeBuffer(Integer.MAX_VALUE);
        while (encoded.isReadable()) {
            int length = Math.min(encoded.readableBytes(), 1 + random.nextInt(random.nextBoolean() ? 4 : 400));
            parts.addComponent(true, encoded.readRetainedSlice(length));
        }
        encoded.release();
        return parts;
    }

    @Test
    protected void session_ofOldAndNewNames_staysInStep() {
        Random random = new Random(31);
        CodecChannel channel = channel(LIMITS);
        for (int i = 0; i < 1000; i++) {
            List<MessageElement> elements = new ArrayList<>();
            for (int j = random.nextInt(4); j >= 0; j--) {
                // Mostly recent names, some old ones.
                int number = Math.max(0, i - random.nextInt(random.nextInt(8) == 0 ? 1000 : 10));
                elements.add(MessageElement.ofText("name" + number, "text" + number % 7)
                        .withNamespace("namespace" + number / 3)
                        .withType("text/x-" + number / 5));
            }
            channel.assertTransfers(Message.of(elements), "message " + i);
        }
    }

    /** A message for several receivers is encoded by a session of its own, and each receiver decodes it among others. */
    @Test
    protected void firstMessageOfAnySession_isDecodedByEverySession_ifTheCodecHasAStatelessForm() {
        MessageCodec codec = codec();
        if (!codec.hasStatelessForm()) {
            assertThat(codec.maxStateBytes())
                    .as("state of a codec without a stateless form")
                    .isPositive();
            return;
        }
        MessageGenerator messages = new MessageGenerator(34, carriesSignatures());
        CodecSession decoder = codec.newSession(LIMITS);
        CodecChannel channel = new CodecChannel(codec.newSession(LIMITS), decoder, allocator);
        for (int i = 0; i < 300; i++) {
            if (i % 7 == 0) { // a sender continues with a new session after shared messages
                channel = new CodecChannel(codec.newSession(LIMITS), decoder, allocator);
            }
            CodecChannel shared = new CodecChannel(codec.newSession(LIMITS), decoder, allocator);
            (i % 7 < 4 ? channel : shared).assertTransfers(messages.next(8), "message " + i);
        }
    }

    @Test
    protected void sessions_inParallel_doNotMix() {
        MessageCodec codec = codec();
        List<CodecChannel> channels = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            channels.add(new CodecChannel(codec, LIMITS, allocator));
        }
        Random random = new Random(32);
        for (int i = 0; i < 600; i++) {
            int chosen = random.nextInt(channels.size());
            // Each channel gets the same names at different times, and some names occur on one channel only.
            Message message = Message.of(
                    MessageElement.ofText("shared" + random.nextInt(50), "text")
                            .withNamespace("shared" + random.nextInt(5)),
                    MessageElement.of("own" + chosen + "." + i / 10, new byte[chosen]));
            channels.get(chosen).assertTransfers(message, "message " + i + ", channel " + chosen);
        }
    }

    @Test
    protected void encodedSize_inMidSession_isExactOrUnknownAndChangesNothing() {
        MessageGenerator messages = new MessageGenerator(33, carriesSignatures());
        CodecChannel channel = channel(LIMITS);
        for (int i = 0; i < 200; i++) {
            Message message = messages.next(6);
            // Measured, but not sent.
            channel.encoder.encodedSize(
                    Message.of(MessageElement.ofText("measured" + i, "").withNamespace("m" + i)));
            long announced = channel.encoder.encodedSize(message);
            long size = channel.assertTransfers(message, "message " + i);
            assertThat(announced).as("message %d", i).isIn(-1L, size);
        }
    }

    // -- failures between messages

    @Test
    protected void encode_thatFailsInMidSession_leavesBothSidesInStep() throws IOException {
        MessageLimits limits = LIMITS.toBuilder()
                .maxElements(20)
                .maxNameBytes(100)
                .maxNamespaces(10)
                .maxElementBytes(20_000)
                .maxMessageBytes(40_000)
                .build();
        CodecChannel channel = channel(limits);
        for (int i = 0; i < 100; i++) {
            Message message = named(i, new byte[] {1}, new byte[100]);
            // Each one writes the strings of the next message before it fails.
            for (Message tooLarge : List.of(
                    with(message, MessageElement.of("x".repeat(101), new byte[0])),
                    with(message, MessageElement.of("n", new byte[0]).withNamespace("x".repeat(101))),
                    with(message, MessageElement.of("n", new byte[20_001])),
                    with(named(i, new byte[19_000], new byte[19_000]), MessageElement.of("n", new byte[19_000])),
                    with(message, namespaces(1, 20)),
                    with(message, namespaces(11, 1)))) {
                channel.assertRejects(tooLarge, ErrorCode.MESSAGE_TOO_LARGE, "too large, before message " + i);
            }
            channel.assertRejects(
                    with(message, MessageElement.ofText("half \uD800", "of a pair")),
                    ErrorCode.NOT_ENCODABLE,
                    "not encodable, before message " + i);
            channel.assertRejects(
                    with(message, vanishedFile(i % 2 == 0 ? 10 : 20_000)),
                    ErrorCode.NOT_ENCODABLE,
                    "vanished file, before message " + i);
            channel.assertTransfers(message, "message " + i);
        }
    }

    private static Message named(int number, byte[] first, byte[] second) {
        return Message.of(
                MessageElement.of("name" + number, first).withNamespace("namespace" + number % 30),
                MessageElement.of("other" + number, second).withType("text/x-" + number));
    }

    private static Message with(Message message, MessageElement... more) {
        List<MessageElement> elements = new ArrayList<>(message.elements());
        elements.addAll(List.of(more));
        return Message.of(elements);
    }

    private static MessageElement[] namespaces(int namespaces, int elementsOfEach) {
        MessageElement[] elements = new MessageElement[namespaces * elementsOfEach];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = MessageElement.of("n", new byte[0]).withNamespace("more" + i % namespaces);
        }
        return elements;
    }

    private MessageElement vanishedFile(int size) throws IOException {
        Path file = Files.write(directory.resolve("file"), new byte[size]);
        MessageElement element = MessageElement.ofFile("file", file);
        Files.delete(file);
        return element;
    }

    @Test
    protected void encode_fileThatShrankInMidSession_leavesBothSidesInStep() throws IOException {
        CodecChannel channel = channel(LIMITS);
        for (int size : new int[] {10, 1000, 100_000, 3 * MEBIBYTE}) {
            Path file = Files.write(directory.resolve("file"), new byte[size]);
            MessageElement element = MessageElement.ofFile("file" + size, file).withNamespace("files" + size);
            MessageElement content =
                    MessageElement.of("file" + size, new byte[size]).withNamespace("files" + size);
            channel.assertTransfers(Message.of(element), Message.of(content), "file of " + size);
            Files.write(file, new byte[size / 2]);
            Message shrunk = Message.of(MessageElement.ofText("again" + size, "a"), element);
            channel.assertRejects(shrunk, ErrorCode.NOT_ENCODABLE, "shrunk file of " + size);
            channel.assertTransfers(
                    Message.of(MessageElement.ofText("again" + size, "a")), "after a shrunk file of " + size);
        }
    }

    @Test
    protected void limits_inOneSession_areThoseOfEachMessage() {
        MessageLimits limits = LIMITS.toBuilder()
                .maxElements(10)
                .maxNameBytes(30)
                .maxNamespaces(5)
                .maxElementBytes(1000)
                .build();
        CodecChannel channel = channel(limits);
        for (int i = 0; i < 200; i++) {
            MessageElement[] allowed = new MessageElement[10];
            for (int j = 0; j < allowed.length; j++) {
                String number = i + "." + j;
                allowed[j] = MessageElement.of(number + "n".repeat(30 - number.length()), new byte[1000])
                        .withNamespace("namespace" + i + "." + j % 5);
            }
            Message message = Message.of(allowed);
            channel.assertTransfers(message, "message " + i);
            MessageElement last = allowed[9];
            channel.assertRejects(
                    with(message, MessageElement.of("n", new byte[0])), ErrorCode.MESSAGE_TOO_LARGE, "elements");
            for (MessageElement tooMuch : List.of(
                    last.withName("n" + last.name()),
                    last.withNamespace("x".repeat(31)),
                    last.withNamespace("sixth"),
                    MessageElement.of("n", new byte[1001]))) {
                allowed[9] = tooMuch;
                channel.assertRejects(Message.of(allowed), ErrorCode.MESSAGE_TOO_LARGE, tooMuch.toString());
            }
        }
    }

    @Test
    protected void limitOfMessageBytes_inOneSession_isThatOfEachMessage() {
        int maxBytes = 5000;
        CodecChannel channel =
                channel(LIMITS.toBuilder().maxMessageBytes(maxBytes).build());
        Random random = new Random(34);
        int carried = 0;
        int refused = 0;
        for (int size = 0; size <= maxBytes; size += 7) {
            byte[] content = new byte[size];
            random.nextBytes(content);
            Message message =
                    Message.of(MessageElement.of("name" + size, content).withNamespace("ns" + size));
            ByteBuf encoded;
            try {
                encoded = channel.encoder.encode(message, allocator);
            } catch (ParleyException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.MESSAGE_TOO_LARGE);
                assertThat(e).hasMessageContaining("maxMessageBytes").hasMessageContaining("" + maxBytes);
                refused++;
                continue;
            }
            try {
                assertThat(encoded.readableBytes()).isLessThanOrEqualTo(maxBytes);
                assertThat(channel.decoder.decode(encoded)).isEqualTo(message);
                carried++;
            } finally {
                encoded.release();
            }
        }
        assertThat(carried).as("messages carried").isPositive();
        assertThat(refused).as("messages refused").isPositive();
        channel.assertTransfers(sample(), "after all that");
    }

    // -- stateful sessions

    /**
     * The session has stored the strings of an element if their encoding is much shorter than the random strings. The size
     * of the stored strings must not exceed the maximum state of the codec, because the decoder must store each string that
     * the encoder omits.
     */
    @Test
    protected void session_ofEverNewNames_keepsNoMoreStateThanDeclared() {
        int maxStateBytes = codec().maxStateBytes();
        assertThat(maxStateBytes).isNotNegative();
        assertThat(codec().maxEventLoopBytes()).isNotNegative();
        int count = (int) Math.min(MANY_STATE_CHECKS, Math.max(FEW_STATE_CHECKS, 3L * maxStateBytes / FRESH_BYTES));
        CodecChannel channel = channel(LIMITS);
        for (int i = 0; i < count; i++) {
            channel.assertTransfers(fresh(i), "new " + i);
            assertStateIsBounded(channel);
        }
        long knownBytes = 0;
        for (int i = 0; i < count; i++) {
            // Each message is sent once here, so its strings were stored before this loop began.
            int size = channel.assertTransfers(fresh(i), "again " + i);
            knownBytes += size < FRESH_BYTES / 2 ? FRESH_BYTES / 2 : 0;
            assertStateIsBounded(channel);
        }
        assertThat(knownBytes).as("stored bytes").isLessThanOrEqualTo(maxStateBytes);
        channel.assertTransfers(sample(), "after all that");
    }

    @Test
    protected void newSession_knowsNothingOfOthers() {
        MessageCodec codec = codec();
        CodecChannel old = new CodecChannel(codec, LIMITS, allocator);
        old.assertTransfers(fresh(1), "first");
        ByteBuf again = old.encoder.encode(fresh(1), allocator);
        try {
            if (again.readableBytes() < FRESH_BYTES / 2) {
                // Only the other end of this channel can decode it. Another session fails or decodes another message.
                assertThat(decodedOrRefused(codec.newSession(LIMITS), again)).isNotEqualTo(Optional.of(fresh(1)));
            }
        } finally {
            again.release();
        }
        assertThat(new CodecChannel(codec, LIMITS, allocator).assertTransfers(fresh(1), "first of a new session"))
                .isGreaterThanOrEqualTo(FRESH_BYTES / 2);
    }

    private static Optional<Message> decodedOrRefused(CodecSession decoder, ByteBuf encoded) {
        try {
            return Optional.of(decoder.decode(encoded));
        } catch (PeerFaultException e) {
            return Optional.empty();
        }
    }

    private static Message fresh(int number) {
        Random random = new Random(number);
        return Message.of(MessageElement.of(letters(random, 100), new byte[0])
                .withNamespace(letters(random, 50))
                .withType("x/" + letters(random, 48)));
    }

    private static String letters(Random random, int count) {
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < count; i++) {
            letters.append(Character.forDigit(random.nextInt(36), 36));
        }
        return letters.toString();
    }

    private void assertStateIsBounded(CodecChannel channel) {
        for (CodecSession session : List.of(channel.encoder, channel.decoder)) {
            stateBytes(session)
                    .ifPresent(bytes -> assertThat(bytes).as("state").isBetween(0L, (long) codec().maxStateBytes()));
        }
    }

    // -- stateless sessions

    @Test
    protected void statelessSession_givesMessagesThatStandAlone() {
        assumeStateless();
        CodecSession encoder = codec().newSession(LIMITS);
        MessageGenerator messages = new MessageGenerator(35, carriesSignatures());
        for (int i = 0; i < 100; i++) {
            Message message = messages.next(6);
            encoder.encode(message, allocator).release();
            assertDecodes(encoder.encode(message, allocator), message, LIMITS);
        }
    }

    @Test
    protected void statelessSession_inSeveralThreads_givesTheRightResults() throws Exception {
        assumeStateless();
        int threads = 4;
        CodecChannel channel = channel(LIMITS);
        CyclicBarrier start = new CyclicBarrier(threads);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<Void>> results = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                MessageGenerator messages = new MessageGenerator(36 + thread, carriesSignatures());
                Callable<Void> task = () -> {
                    start.await(30, TimeUnit.SECONDS);
                    for (int i = 0; i < 300; i++) {
                        Message message = messages.next(6);
                        channel.assertTransfers(message, "message " + i);
                        if (i % 20 == 0) {
                            channel.assertRejects(
                                    Message.of("\uDC00", ""), ErrorCode.NOT_ENCODABLE, "unpaired surrogate");
                        }
                    }
                    return null;
                };
                results.add(executor.submit(task));
            }
            for (Future<Void> result : results) {
                result.get(60, TimeUnit.SECONDS);
            }
        } finally {
            executor.shutdownNow();
        }
    }

    private void assumeStateless() {
        assumeTrue(codec().maxStateBytes() == 0, "the codec is stateful");
    }

    private CodecChannel channel(MessageLimits limits) {
        return new CodecChannel(codec(), limits, allocator);
    }
}
