package io.parley.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    private final AtomicInteger givenBack = new AtomicInteger();
    private final BorrowScope loan = new BorrowScope(givenBack::incrementAndGet);

    BufferPayloadTest() {
        new Random(3).nextBytes(bytes);
    }

    private ByteBuffer direct(int from, int to) {
        return ByteBuffer.allocateDirect(to - from).put(bytes, from, to - from).flip();
    }

    private Payload inParts(int count) {
        ByteBuffer[] parts = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            parts[i] = direct(SIZE / count * i, i + 1 == count ? SIZE : SIZE / count * (i + 1));
        }
        return Payload.borrowed(loan, parts);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7})
    void lent_inParts_readsAsIfItWereWhole(int count) throws IOException {
        Payload lent = inParts(count);
        assertThat(lent.size()).isEqualTo(SIZE);
        assertThat(lent.toByteArray()).isEqualTo(bytes);
        assertThat(lent.asByteBuffer()).isEqualTo(ByteBuffer.wrap(bytes));
        assertThat(lent.asByteBuffer().isReadOnly()).isTrue();
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        lent.writeTo(written);
        assertThat(written.toByteArray()).isEqualTo(bytes);
        try (InputStream stream = lent.openStream()) {
            assertThat(stream.available()).isEqualTo(SIZE);
            assertThat(stream.read()).isEqualTo(bytes[0] & 0xFF);
            assertThat(stream.readNBytes(SIZE)).isEqualTo(Arrays.copyOfRange(bytes, 1, SIZE));
            assertThat(stream.read()).isEqualTo(-1);
        }
        assertThat(lent.text(StandardCharsets.ISO_8859_1)).isEqualTo(new String(bytes, StandardCharsets.ISO_8859_1));
        assertThat(lent).isEqualTo(Payload.of(bytes)).hasSameHashCodeAs(Payload.of(bytes));
        assertThat(Payload.of(bytes)).isEqualTo(lent);
    }

    @Test
    void readInto_anyRange_readsThatRange() {
        Payload lent = inParts(7);
        Random random = new Random(4);
        for (int i = 0; i < 1000; i++) {
            int from = random.nextInt(SIZE + 1);
            ByteBuffer target = ByteBuffer.allocate(random.nextInt(SIZE - from + 1));
            lent.readInto(target, from);
            assertThat(target.hasRemaining()).isFalse();
            assertThat(target.flip()).isEqualTo(ByteBuffer.wrap(bytes, from, target.remaining()));
        }
        assertThatThrownBy(() -> lent.readInto(ByteBuffer.allocate(2), SIZE - 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void asByteBuffers_areReadOnlyViewsOfTheParts() {
        ByteBuffer first = direct(0, 100);
        List<ByteBuffer> views =
                Payload.borrowed(loan, first, direct(100, SIZE)).asByteBuffers();
        assertThat(views).hasSize(2).allMatch(view -> view.isReadOnly() && view.isDirect());
        first.put(5, (byte) 99);
        assertThat(views.get(0).get(5)).isEqualTo((byte) 99);
    }

    @Test
    void lent_partsOfLargerBuffers_showsNothingBeside() {
        ByteBuffer larger = direct(0, 100);
        Payload lent = Payload.borrowed(
                loan,
                larger.duplicate().position(10).limit(20),
                larger.duplicate().position(50));
        assertThat(lent.toByteArray())
                .startsWith(Arrays.copyOfRange(bytes, 10, 20))
                .endsWith(Arrays.copyOfRange(bytes, 50, 100));
        assertThat(lent.asByteBuffers()).extracting(ByteBuffer::capacity).containsExactly(10, 50);
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
        Payload lent = inParts(2);
        InputStream stream = lent.openStream();
        loan.end();
        assertThat(givenBack).hasValue(1);
        List<ThrowingCallable> reads = List.of(
                lent::toByteArray,
                lent::asByteBuffer,
                lent::asByteBuffers,
                lent::hashCode,
                stream::read,
                () -> lent.text(StandardCharsets.UTF_8),
                () -> lent.writeTo(new ByteArrayOutputStream()),
                () -> lent.readInto(ByteBuffer.allocate(1), 0),
                () -> Payload.of(bytes).equals(lent));
        for (ThrowingCallable read : reads) {
            assertThatThrownBy(read).isInstanceOf(IllegalStateException.class).hasMessageContaining("toByteArray");
        }
        assertThat(lent).hasToString(SIZE + " bytes");
    }

    @Test
    void end_whileSomebodyReads_givesBackWhenTheyAreDone() {
        Payload lent = inParts(1);
        loan.startReading();
        loan.end();
        assertThat(givenBack).hasValue(0);
        assertThatThrownBy(lent::toByteArray).isInstanceOf(IllegalStateException.class);
        assertThat(givenBack).hasValue(0);
        loan.doneReading();
        assertThat(givenBack).hasValue(1);
        loan.end();
        assertThat(givenBack).hasValue(1);
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
