package io.parley.bench.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MessageCounterTest {

    private final MessageCounter counter = new MessageCounter();

    @Test
    void count_returnsTrueOnceAfterTheExpectedNumber_inAnyOrder() {
        MessageBytes sink = message(new Header(Signal.SINK, 0).message(64));
        MessageBytes last = message(new Header(Signal.LAST, 4).message(64));

        assertThat(List.of(counter.count(sink), counter.count(last), counter.count(sink)))
                .containsOnly(false);
        assertThat(counter.count(last))
                .as("the LAST message of another connection")
                .isTrue();
        assertThat(counter.arrived()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 1024, 64 * 1024})
    void intactMessages_passTheCheck(int bytes) {
        for (Signal signal : Signal.values()) {
            counter.count(message(new Header(signal, 0).message(bytes)));
        }
        assertThatCode(counter::requireIntact).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 1024, 64 * 1024})
    void truncatedMessage_isDamaged(int bytes) {
        byte[] sent = new Header(Signal.SINK, 0).message(bytes);

        counter.count(MessageBytes.of(sent, 0, bytes - 1));

        assertThatThrownBy(counter::requireIntact)
                .hasMessageContaining("message of %d bytes: wrong bytes at".formatted(bytes - 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 1024, 64 * 1024})
    void messageWithForeignBytesAtTheEnd_isDamaged(int bytes) {
        byte[] sent = new Header(Signal.SINK, 0).message(bytes);
        sent[bytes - 1]++;

        counter.count(message(sent));

        assertThatThrownBy(counter::requireIntact).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void timedMessages_recordTheirLatencyAndTheirOrder() {
        byte[] template = new Header(Signal.TIMED, 0).message(64);
        for (int round = 0; round < 2; round++) {
            for (int sequence = 0; sequence < 10; sequence++) {
                counter.count(message(Header.timed(template, 0, sequence, System.nanoTime() - 1_000_000)));
            }
            assertThat(counter.latencies().getMinValue()).isGreaterThan(900_000);
            assertThat(counter.latencies().getTotalCount())
                    .as("since the call before")
                    .isZero();
        }
        counter.requireIntact();

        counter.count(message(Header.timed(template, 0, 11, 0)));

        assertThatThrownBy(counter::requireIntact).hasMessage("sequence number: 11 (expected: 10)");
    }

    @Test
    void lossyMessages_mayBeMissing_butNotOutOfOrder() {
        byte[] template = new Header(Signal.LOSSY, 0).message(64);
        for (int run = 0; run < 2; run++) {
            for (int sequence : new int[] {1, 4, 5}) {
                counter.count(message(Header.timed(template, 0, sequence, 0)));
            }
            assertThat(counter.takeArrived()).isEqualTo(3);
        }
        counter.requireIntact();

        counter.count(message(Header.timed(template, 0, 2, 0)));
        counter.count(message(Header.timed(template, 0, 2, 0)));

        assertThatThrownBy(counter::requireIntact).hasMessage("sequence number: 2 (expected: >= 3)");
    }

    @Test
    void firstMessage_hasItsTime_beforeItIsCounted() {
        List<MessageCounter> counters = new ArrayList<>();
        List<Long> arrived = new ArrayList<>();
        MessageCounter timed = new MessageCounter(() -> {
            arrived.add(counters.get(0).arrived());
            return 7;
        });
        counters.add(timed);

        timed.count(message(new Header(Signal.SINK, 0).message(64)));

        assertThat(arrived).as("when the clock is read").containsExactly(0L);
        assertThat(timed.arrived()).isEqualTo(1);
        assertThat(timed.firstNanos()).isEqualTo(7);
    }

    private static MessageBytes message(byte[] bytes) {
        return MessageBytes.of(bytes, 0);
    }
}
