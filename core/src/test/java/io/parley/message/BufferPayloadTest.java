package io.parley.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.testkit.TestSeed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests payloads in buffers, owned and borrowed. */
class BufferPayloadTest {

    private static final int SIZE = 200_000;

    private final byte[] bytes = new byte[SIZE];
    private final AtomicInteger releases = new AtomicInteger();
    private final BorrowScope scope = new BorrowScope(releases::incrementAndGet);

    BufferPayloadTest() {
        new Random(Long.getLong(TestSeed.PROPERTY, 3)).nextBytes(bytes);
    }

    private ByteBuffer direct(int from, int to) {
        return ByteBuffer.allocateDirect(to - from).put(bytes, from, to - from).flip();
    }

    private Payload inParts(int count) {
        ByteBuffer[] parts = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            parts[i] = direct(SIZE / count * i, i + 1 == count ? SIZE : SIZE / count * (i + 1));
        }
        return Payload.borrowed(scope, parts);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void borrowed_inParts_readsLikeOneBuffer(int count) throws IOException {
        assertReadsLikeOneBuffer(inParts(count));
    }

    @Test
    void ofParts_inAnyMemory_readsLikeOneBuffer() throws IOException {
        Payload joined = Payload.ofParts(
                ByteBuffer.wrap(bytes, 0, 1000),
                ByteBuffer.allocate(0),
                direct(1000, 150_000),
                ByteBuffer.wrap(bytes, 150_000, 50_000));
        assertReadsLikeOneBuffer(joined);
        assertThat(joined.isBorrowed()).isFalse();
        assertThat(joined.hasArray()).isFalse();
        assertThat(joined.hasBuffer()).isFalse();
        assertThat(joined.asByteBuffers()).extracting(ByteBuffer::capacity).containsExactly(1000, 0, 149_000, 50_000);
    }

    @Test
    void ofParts_ofOneBufferOrNone_isThatBuffer() {
        assertThat(Payload.ofParts(ByteBuffer.wrap(bytes)).array()).isSameAs(bytes);
        assertThat(Payload.ofParts().size()).isZero();
        assertThat(Payload.ofParts(ByteBuffer.allocate(0), ByteBuffer.allocate(0))
                        .hasArray())
                .isTrue();
    }

    @Test
    void ofParts_moreThanAnArrayHolds_isRefused() {
        ByteBuffer mebibyte = ByteBuffer.allocate(1 << 20);
        ByteBuffer[] parts = new ByteBuffer[2048];
        Arrays.setAll(parts, i -> mebibyte);
        assertThatThrownBy(() -> Payload.ofParts(parts))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2147483648");
    }

    private void assertReadsLikeOneBuffer(Payload borrowed) throws IOException {
        assertThat(borrowed.size()).isEqualTo(SIZE);
        assertThat(borrowed.toByteArray()).isEqualTo(bytes);
        assertThat(borrowed.asByteBuffer()).isEqualTo(ByteBuffer.wrap(bytes));
        assertThat(borrowed.asByteBuffer().isReadOnly()).isTrue();
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        borrowed.writeTo(written);
        assertThat(written.toByteArray()).isEqualTo(bytes);
        try (InputStream stream = borrowed.openStream()) {
            assertThat(stream.available()).isEqualTo(SIZE);
            assertThat(stream.read()).isEqualTo(bytes[0] & 0xFF);
            assertThat(stream.readNBytes(SIZE)).isEqualTo(Arrays.copyOfRange(bytes, 1, SIZE));
            assertThat(stream.read()).isEqualTo(-1);
        }
        assertThat(borrowed.text(StandardCharsets.ISO_8859_1))
                .isEqualTo(new String(bytes, StandardCharsets.ISO_8859_1));
        assertThat(borrowed).isEqualTo(Payload.of(bytes)).hasSameHashCodeAs(Payload.of(bytes));
        assertThat(Payload.of(bytes)).isEqualTo(borrowed);
    }

    @Test
    void readInto_anyRange_readsThatRange() {
        Payload borrowed = inParts(7);
        Random random = new Random(Long.getLong(TestSeed.PROPERTY, 4));
        for (int i = 0; i < 1000; i++) {
            int from = random.nextInt(SIZE + 1);
            ByteBuffer target = ByteBuffer.allocate(random.nextInt(SIZE - from + 1));
            borrowed.readInto(target, from);
            assertThat(target.hasRemaining()).isFalse();
            assertThat(target.flip()).isEqualTo(ByteBuffer.wrap(bytes, from, target.remaining()));
        }
        assertThatThrownBy(() -> borrowed.readInto(ByteBuffer.allocate(2), SIZE - 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void asByteBuffers_areReadOnlyViewsOfTheParts() {
        ByteBuffer first = direct(0, 100);
        List<ByteBuffer> views =
                Payload.borrowed(scope, first, direct(100, SIZE)).asByteBuffers();
        assertThat(views).hasSize(2).allMatch(view -> view.isReadOnly() && view.isDirect());
        first.put(5, (byte) 99);
        assertThat(views.get(0).get(5)).isEqualTo((byte) 99);
    }

    @Test
    void borrowed_partsOfLargerBuffers_hideOtherBytes() {
        ByteBuffer larger = direct(0, 100);
        Payload borrowed = Payload.borrowed(
                scope,
                larger.duplicate().position(10).limit(20),
                larger.duplicate().position(50));
        assertThat(borrowed.toByteArray())
                .startsWith(Arrays.copyOfRange(bytes, 10, 20))
                .endsWith(Arrays.copyOfRange(bytes, 50, 100));
        assertThat(borrowed.asByteBuffers()).extracting(ByteBuffer::capacity).containsExactly(10, 50);
    }

    @Test
    void equals_toOtherBytes_isFalse() {
        byte[] other = bytes.clone();
        other[SIZE - 1]++;
        assertThat(inParts(2)).isNotEqualTo(Payload.of(other)).isNotEqualTo(Payload.of(bytes, 1, SIZE - 1));
        assertThat(Payload.of(other)).isNotEqualTo(inParts(2));
    }

    @Test
    void afterTheLoan_everyReadIsRefused_andNamesTheRemedy() {
        Payload borrowed = inParts(2);
        InputStream stream = borrowed.openStream();
        scope.end();
        assertThat(releases).hasValue(1);
        List<ThrowingCallable> reads = List.of(
                borrowed::toByteArray,
                borrowed::asByteBuffer,
                borrowed::asByteBuffers,
                borrowed::hashCode,
                stream::read,
                () -> borrowed.text(StandardCharsets.UTF_8),
                () -> borrowed.writeTo(new ByteArrayOutputStream()),
                () -> borrowed.readInto(ByteBuffer.allocate(1), 0),
                () -> Payload.of(bytes).equals(borrowed));
        for (ThrowingCallable read : reads) {
            assertThatThrownBy(read).isInstanceOf(IllegalStateException.class).hasMessageContaining("toByteArray");
        }
        assertThat(borrowed).hasToString(SIZE + " bytes");
    }

    @Test
    void end_whileSomebodyReads_givesBackWhenTheyAreDone() {
        Payload borrowed = inParts(1);
        scope.startReading();
        scope.end();
        assertThat(releases).hasValue(0);
        assertThatThrownBy(borrowed::toByteArray).isInstanceOf(IllegalStateException.class);
        assertThat(releases).hasValue(0);
        scope.doneReading();
        assertThat(releases).hasValue(1);
        scope.end();
        assertThat(releases).hasValue(1);
    }

    @Test
    void of_directBuffer_keepsTheBytesWithoutACopy_andLeavesTheBufferAlone() {
        ByteBuffer buffer = direct(0, SIZE).position(10);
        Payload payload = Payload.of(buffer);
        assertThat(buffer.position()).isEqualTo(10);
        assertThat(payload.size()).isEqualTo(SIZE - 10);
        assertThat(payload.hasArray()).isFalse();
        assertThat(payload.hasBuffer()).isTrue();
        assertThat(payload.isBorrowed()).isFalse();
        assertThat(payload).isEqualTo(Payload.of(bytes, 10, SIZE - 10));
        buffer.put(10, (byte) (bytes[10] + 1));
        assertThat(payload.asByteBuffer().get(0)).isEqualTo((byte) (bytes[10] + 1));
    }

    @Test
    void of_heapBuffer_isItsArray() {
        Payload payload = Payload.of(ByteBuffer.wrap(bytes, 3, 5).slice());
        assertThat(payload.array()).isSameAs(bytes);
        assertThat(payload.arrayOffset()).isEqualTo(3);
        assertThat(payload.size()).isEqualTo(5);
    }
}
