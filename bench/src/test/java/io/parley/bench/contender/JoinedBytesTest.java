package io.parley.bench.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Elements of a message that are read one after another. */
final class JoinedBytesTest {

    private static final int BYTES = 100;

    private final byte[] whole = new Header(Signal.SINK, 0).message(BYTES);

    private static MessageBytes join(List<byte[]> slices) {
        return MessageBytes.join(
                slices.stream().map(slice -> MessageBytes.of(slice, 0)).toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 20, 100})
    void join_ofTheSlices_hasTheBytesOfTheMessage(int elements) {
        List<byte[]> slices = Header.slices(whole, elements);
        MessageBytes joined = join(slices);
        MessageBytes expected = MessageBytes.of(whole, 0);

        assertThat(slices).hasSize(elements);
        assertThat(joined.length()).isEqualTo(BYTES);
        for (int index = 0; index < BYTES; index++) {
            assertThat(joined.byteAt(index)).isEqualTo(expected.byteAt(index));
        }
        for (int index = 0; index <= BYTES - Long.BYTES; index++) {
            assertThat(joined.longAt(index)).isEqualTo(expected.longAt(index));
        }
    }

    @Test
    void join_withEmptyElements_hasTheBytesOfTheOthers() {
        List<byte[]> slices = new ArrayList<>(Header.slices(whole, 3));
        for (int index : new int[] {3, 2, 2, 0, 0}) {
            slices.add(index, new byte[0]);
        }
        MessageBytes joined = join(slices);

        assertThat(joined.length()).isEqualTo(BYTES);
        for (int index = 0; index < BYTES; index++) {
            assertThat(joined.byteAt(index)).isEqualTo(whole[index]);
        }
        assertThatThrownBy(() -> joined.byteAt(BYTES)).hasMessage("index: 100 (expected: 0 to 99)");
        assertThatThrownBy(() -> joined.longAt(BYTES - 7)).hasMessage("index: 93 (expected: 0 to 92)");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, BYTES + 1})
    void slices_moreThanBytesOrNone_isRejected(int elements) {
        assertThatThrownBy(() -> Header.slices(whole, elements))
                .hasMessage("elements: %d (expected: 1 to 100)".formatted(elements));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 20})
    void check_elementsInAnotherOrder_areDamaged(int elements) {
        List<byte[]> slices = new ArrayList<>(Header.slices(new Header(Signal.SINK, 0).message(4096), elements));
        slices.add(1, slices.remove(elements - 1));
        slices.add(0, slices.remove(1));
        MessageCounter counter = new MessageCounter();
        slices.get(0)[0] = Signal.SINK.code();

        counter.count(join(slices));

        assertThatThrownBy(counter::requireIntact).isInstanceOf(IllegalStateException.class);
    }
}
