package io.parley.codec.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.error.PeerFaultException;
import io.parley.message.BorrowScope;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.testkit.TestSeed;
import io.parley.testkit.codec.ByteMutator;
import io.parley.testkit.codec.MessageCodecContractTest;
import io.parley.testkit.codec.MessageGenerator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the codec contract and the additional guarantees of the binary format. */
final class BinaryMessageCodecTest extends MessageCodecContractTest {
    private final CodecSession session = new BinaryMessageCodec().newSession(MessageLimits.DEFAULTS);

    @Override
    protected MessageCodec codec() {
        return new BinaryMessageCodec();
    }

    @Test
    void roundTrip_controlCharactersInNames() {
        Message message =
                Message.of(MessageElement.ofText("\u0000\u0001\r\n", "").withNamespace("\uFFFF"));
        ByteBuf encoded = session.encode(message, UnpooledByteBufAllocator.DEFAULT);
        assertThat(session.decode(encoded)).isEqualTo(message);
        encoded.release();
    }

    @Test
    void encode_smallMessage_isOneDirectBufferOfTheExactSize() {
        ByteBuf encoded = session.encode(Message.of("n", new byte[60_000]), UnpooledByteBufAllocator.DEFAULT);
        assertThat(encoded).isNotInstanceOf(CompositeByteBuf.class);
        assertThat(encoded.isDirect()).isTrue();
        assertThat(encoded.capacity()).isEqualTo(encoded.readableBytes());
        encoded.release();
    }

    @Test
    void tryEncode_bufferWithEnoughRoom_needsNoOtherMemory() {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        ByteBuf out = allocator.directBuffer(1024);
        long used = allocator.metric().usedDirectMemory();
        assertThat(session.tryEncode(Message.of("n", new byte[500]), out, 1024)).isTrue();
        assertThat(allocator.metric().usedDirectMemory()).isEqualTo(used);
        out.release();
    }

    @Test
    void encode_contentInDirectMemory_isNotCopied() {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        byte[] content = content(64 << 10);
        ByteBuffer direct = ByteBuffer.allocateDirect(content.length);
        direct.put(content).flip();
        Message message = Message.of(MessageElement.of("n", direct), MessageElement.ofText("m", "text"));
        ByteBuf encoded = session.encode(message, allocator);
        assertThat(allocator.metric().usedDirectMemory()).isLessThan(200);
        assertThat(encoded.isDirect()).isTrue();
        assertThat(session.decode(encoded))
                .isEqualTo(message)
                .isEqualTo(Message.of(MessageElement.of("n", content), MessageElement.ofText("m", "text")));
        encoded.release();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {20_000, 1 << 20})
    void encode_borrowedPayload_copiesIt(int size) {
        byte[] content = content(size);
        ByteBuf memory = Unpooled.directBuffer().writeBytes(content);
        BorrowScope scope = new BorrowScope(memory::release);
        Message borrowed = Message.of(
                MessageElement.of("n", new byte[0]).withPayload(Payload.borrowed(scope, memory.nioBuffer())));
        ByteBuf encoded = session.encode(borrowed, UnpooledByteBufAllocator.DEFAULT);
        memory.setZero(0, size);
        scope.end();
        assertThat(session.decode(encoded)).isEqualTo(Message.of("n", content));
        encoded.release();
        assertThatThrownBy(() -> session.encode(borrowed, UnpooledByteBufAllocator.DEFAULT))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void decodeBorrowed_sharesTheMemory() {
        ByteBuf encoded = session.encode(Message.of("n", content(1000)), UnpooledByteBufAllocator.DEFAULT);
        BorrowScope scope = new BorrowScope(encoded::release);
        Message borrowed = session.decodeBorrowed(encoded, scope);
        Payload payload = borrowed.elements().get(0).payload();
        assertThat(payload.isBorrowed()).isTrue();
        encoded.setByte(encoded.writerIndex() - 1, 77);
        assertThat(payload.asByteBuffer().get(999)).isEqualTo((byte) 77);
        scope.end();
    }

    private static byte[] content(int size) {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        return content;
    }

    @Test
    void decode_longNamespaceOfManyElements_takesItsMemoryOnce() {
        String namespace = "n".repeat(4096);
        MessageElement plain = MessageElement.of(namespace, "", MessageElement.TYPE_BYTES, Payload.of(new byte[0]));
        MessageElement signed = MessageElement.of("", new byte[0]).withSignature(plain.withNamespace(""));
        for (MessageElement element : List.of(plain, signed.withNamespace(namespace))) {
            ByteBuf encoded =
                    session.encode(Message.of(Collections.nCopies(5000, element)), UnpooledByteBufAllocator.DEFAULT);
            Message decoded = session.decode(encoded);
            assertThat(decoded.memoryBytes(0)).isLessThan(2_000_000);
            assertThat(decoded.elements()).hasSize(5000).endsWith(element);
            encoded.release();
        }
    }

    @Test
    void encode_largeMessage_copiesNoLargeContent() {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        byte[] content = new byte[1 << 20];
        Message message = Message.builder()
                .add("a", content)
                .add("small", "text")
                .add("b", content)
                .build();
        ByteBuf encoded = session.encode(message, allocator);
        assertThat(allocator.metric().usedDirectMemory()).isLessThan(200);
        encoded.release();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void encode_manySmallElements_isOneBufferAllTheSame() {
        List<MessageElement> elements = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            elements.add(MessageElement.of("n", new byte[100]));
        }
        ByteBuf encoded = session.encode(Message.of(elements), UnpooledByteBufAllocator.DEFAULT);
        assertThat(encoded).isNotInstanceOf(CompositeByteBuf.class);
        encoded.release();
    }

    @Test
    void decode_heapBuffer_copiesNothing() {
        byte[] bytes = ByteBufUtil.decodeHexDump(BinaryGoldenBytesTest.THREE_ELEMENTS_HEX);
        Message message = session.decode(Unpooled.wrappedBuffer(bytes));
        assertThat(message.elements())
                .allSatisfy(element -> assertThat(element.payload().array()).isSameAs(bytes));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        6a786d68 00 0000 0000                                    | byte 0: message: begins with 6a786d68
        6a786d67 02 0000 0000                                    | version: 2 (expected: 0 or 1)
        6a786d67 00 ffff 0000                                    | LIMIT_EXCEEDED maxNamespaces 4096
        6a786d67 00 0100 0000                                    | byte 7: namespaces: 256
        6a786d67 00 0001 0001 ff 0000                            | namespace: invalid UTF-8
        6a786d67 00 0000 0002 6a78656c 00 00 0000 00000000       | elements: 2
        6a786d67 00 0000 0001 6a78656d 00 00 0000 00000000       | byte 9: element: begins with 6a78656d
        6a786d67 00 0000 0001 6a78656c 02 00 0000 00000000       | namespace id: 2 (expected: < 2)
        6a786d67 00 0000 0001 6a78656c 00 02 0000 00000000       | element flags: 02 (expected: only bits of 05)
        6a786d67 00 0000 0001 6a78656c 00 00 ffff 00000000       | LIMIT_EXCEEDED maxNameBytes 4096
        6a786d67 00 0000 0001 6a78656c 00 00 0005 00000000       | element name: 5 bytes (expected: <= 4
        6a786d67 00 0000 0001 6a78656c 00 01 0000 0001 61 00000000 | type: 'a' (expected: a MIME type
        6a786d67 00 0000 0001 6a78656c 00 01 0002 1b0a 0002 610a 00000000 | element "\\u001b\\u000a": type: 'a ' (expected
        6a786d67 00 0000 0001 6a78656c 00 00 0000 00000001       | element content: 1 bytes (expected: <= 0
        6a786d67 00 0000 0001 6a78656c 00 00 0000 ffffffff       | LIMIT_EXCEEDED maxElementBytes
        6a786d67 00 0000 0001 6a78656c 00 04 0000 00000000       | byte 21: signature element: 4 bytes
        6a786d67 00 0000 0001 6a78656c 00 04 0000 00000000 6a78656c 00 04 0000 00000000 | only bits of 01
        6a786d67 00 0000 0000 00000003                           | element: begins with 00000003
        6a786d67 01 01 0000 0000                                 | message flags: 01 (expected: 00
        6a786d67 01 00 0000 0001 6a78656c 12 0000 0000 0000000000 | element flags: 12
        6a786d67 01 00 0000 0001 6a78656c 02 0002 0000 00000000  | namespace: string 2 (expected: < 2)
        6a786d67 01 00 0000 0001 6a78656c 03 0000 0000 ffffffffffffffff | 18446744073709551615 bytes
        6a786d67 01 00 0000 0001 6a78656c 06 0000 0000 0001 00000000 | type: 'jxta' (expected: a MIME type
        6a786d67 01 00 ffff 0001                                 | LIMIT_EXCEEDED maxNamespaces
        """)
    void decode_faultyField_namesOffsetAndFault(String hex, String expected) {
        boolean limit = expected.startsWith("LIMIT_EXCEEDED ");
        assertThatThrownBy(
                        () -> session.decode(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex.replace(" ", "")))))
                .isInstanceOfSatisfying(PeerFaultException.class, e -> {
                    assertThat(e.code().name()).isEqualTo(limit ? "LIMIT_EXCEEDED" : "MALFORMED_MESSAGE");
                    assertThat(e).hasMessageContaining("at byte ");
                    assertThat(e).hasMessageContaining(limit ? expected.substring(15) : expected);
                });
    }

    /** A JXSE 2.5 peer allocates 300 MB for a message of 30 bytes that contains a length of 300 MB. */
    @Test
    void decode_hugeLengths_allocatesNothingForThem() {
        MessageLimits wide = MessageLimits.DEFAULTS.toBuilder()
                .maxElementBytes(Integer.MAX_VALUE - 8)
                .maxNamespaces(65533)
                .build();
        CodecSession lenient = new BinaryMessageCodec().newSession(wide);
        com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
        for (String hex : List.of(
                "6a786d67000000ffff", "6a786d6700fff00000", "6a786d67000000" + "00016a78656c000000007fffff00")) {
            ByteBuf encoded = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
            assertThatThrownBy(() -> lenient.decode(encoded)).isInstanceOf(PeerFaultException.class);
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            try {
                lenient.decode(encoded);
            } catch (PeerFaultException e) {
                long allocated =
                        threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
                assertThat(allocated).isLessThan(100_000);
            }
        }
    }

    /** Decodes about 200,000 inputs; {@link BinaryMessageCodecFuzzTest} covers more. */
    @Test
    void decode_mutations_neverThrowAnythingElse() {
        long seed = Long.getLong(TestSeed.PROPERTY, 20_07);
        System.out.println("BinaryMessageCodecTest mutations: -D" + TestSeed.PROPERTY + "=" + seed);
        MessageLimits limits =
                MessageLimits.DEFAULTS.toBuilder().maxMessageBytes(1 << 20).build();
        CodecSession narrow = new BinaryMessageCodec().newSession(limits);
        MessageGenerator messages = new MessageGenerator(seed, true);
        ByteMutator mutator = new ByteMutator(seed);
        byte[][] bases = new byte[200][];
        for (int i = 0; i < bases.length; i++) {
            bases[i] = i % 4 == 3 ? version1(messages.next(4)) : small(messages);
        }
        int decoded = 0;
        for (int i = 0; i < 200_000; i++) {
            byte[] mutated = mutator.mutate(bases[i % bases.length]);
            try {
                Message message = narrow.decode(Unpooled.wrappedBuffer(mutated));
                decoded++;
                if (i % 16 == 0) {
                    // A decoded message can be encoded, and decodes to an equal message.
                    ByteBuf again = narrow.encode(message, UnpooledByteBufAllocator.DEFAULT);
                    assertThat(narrow.decode(again)).isEqualTo(message);
                    again.release();
                }
            } catch (PeerFaultException e) {
                // the expected failure
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed + ", input " + i + ": " + ByteBufUtil.hexDump(mutated), e);
            }
        }
        assertThat(decoded).isBetween(1000, 199_000);
    }

    @ParameterizedTest
    @CsvSource({"1, 0, true", "60, 3, true", "3000, 0, true", "5000, 0, false", "10, 250, true", "10, 270, false"})
    void decodesQuickly_messageOfFewStrings(int elements, int namespaces, boolean quick) {
        Message message = ofStrings(elements, namespaces);
        ByteBuf encoded = session.encode(message, UnpooledByteBufAllocator.DEFAULT);
        ByteBuf composite = UnpooledByteBufAllocator.DEFAULT
                .compositeBuffer()
                .addComponents(true, encoded.retainedSlice(0, 11), encoded.slice(11, encoded.readableBytes() - 11));
        assertThat(session.decodesQuickly(composite)).isEqualTo(quick);
        assertThat(session.decode(composite)).isEqualTo(message);
        byte[] bytes = ByteBufUtil.getBytes(composite);
        composite.release();
        assertThat(session.decodesQuickly(
                        Unpooled.wrappedBuffer(new byte[3], bytes).skipBytes(3)))
                .isEqualTo(quick);
    }

    /** Elements of one namespace, or of as many as possible. */
    private static Message ofStrings(int elements, int namespaces) {
        List<MessageElement> list = new ArrayList<>();
        for (int i = 0; i < Math.max(elements, namespaces); i++) {
            MessageElement element = MessageElement.of("name", new byte[100_000 / Math.max(elements, namespaces)]);
            list.add(namespaces == 0 ? element : element.withNamespace("namespace " + i % namespaces));
        }
        return Message.of(list);
    }

    @Test
    void decodesQuickly_version1AndUncountedElements_areNot() {
        byte[] version1 = version1(Message.of("name", new byte[10]));
        assertThat(session.decodesQuickly(Unpooled.wrappedBuffer(version1))).isFalse();
        byte[] version0 = bytesOf(Message.of("name", new byte[10]));
        assertThat(session.decodesQuickly(Unpooled.wrappedBuffer(version0))).isTrue();
        version0[8] = 0; // the count of elements
        assertThat(session.decodesQuickly(Unpooled.wrappedBuffer(version0))).isFalse();
    }

    @Test
    void decodesQuickly_incompleteMessage_doesNotFail() {
        byte[] bytes = bytesOf(ofStrings(3, 3));
        for (int length = 0; length < bytes.length; length++) {
            session.decodesQuickly(Unpooled.wrappedBuffer(bytes, 0, length));
        }
    }

    private byte[] small(MessageGenerator messages) {
        while (true) {
            byte[] bytes = bytesOf(messages.next(4));
            if (bytes.length < 2000) {
                return bytes;
            }
        }
    }

    private byte[] bytesOf(Message message) {
        ByteBuf encoded = session.encode(message, UnpooledByteBufAllocator.DEFAULT);
        byte[] bytes = ByteBufUtil.getBytes(encoded);
        encoded.release();
        return bytes;
    }

    private static byte[] version1(Message message) {
        StringTable table = new StringTable();
        message.forEach(element -> table.add(element.namespace()));
        int size = (int) WireVersion1Writer.measure(message, table, MessageLimits.DEFAULTS);
        WireOutput out = new WireOutput(message, size, 0, UnpooledByteBufAllocator.DEFAULT);
        WireVersion1Writer.write(message, table, out);
        ByteBuf encoded = out.finish();
        byte[] bytes = ByteBufUtil.getBytes(encoded);
        encoded.release();
        return bytes;
    }
}
