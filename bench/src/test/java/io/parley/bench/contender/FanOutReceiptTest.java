package io.parley.bench.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

final class FanOutReceiptTest {

    private static final int BYTES = 1024;
    private static final Duration NOW = Duration.ZERO;

    private final byte[] template = new Header(Signal.TIMED, 0).message(BYTES);
    private final FanOutReceipt receipt = new FanOutReceipt();

    private void receive(long... sequences) {
        for (long sequence : sequences) {
            receipt.received(MessageBytes.of(Header.timed(template, 0, sequence, 0), 0));
        }
    }

    @Test
    void allMessagesInOrder_haveTheChecksumOfWhatWasSent_inEachRun() throws Exception {
        for (int run = 0; run < 2; run++) {
            receipt.expect(3);
            long start = System.nanoTime();

            receive(0, 1, 2);

            assertThat(receipt.await(NOW) - start).isNotNegative();
            assertThat(receipt.checksum()).isEqualTo(FanOutReceipt.checksum(BYTES, 3));
        }
    }

    @Test
    void checksum_dependsOnTheNumberAndTheSizeOfMessages() {
        assertThat(FanOutReceipt.checksum(BYTES, 3))
                .isNotEqualTo(FanOutReceipt.checksum(BYTES, 4))
                .isNotEqualTo(FanOutReceipt.checksum(BYTES + 1, 3));
    }

    @Test
    void missingMessage_isNoReceipt() {
        receipt.expect(3);

        receive(0, 1);

        assertThatThrownBy(() -> receipt.await(NOW))
                .isInstanceOf(TimeoutException.class)
                .hasMessage("messages: 2 (expected: 3 within PT0S)");
    }

    @Test
    void gap_repetitionOrOtherOrder_isNoReceipt() {
        for (long[] sequences : new long[][] {{0, 2, 3}, {0, 0, 1}, {1, 0, 2}}) {
            FanOutReceiptTest other = new FanOutReceiptTest();
            other.receipt.expect(3);

            other.receive(sequences);

            assertThatThrownBy(() -> other.receipt.await(NOW))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("sequence number: ");
        }
    }

    @Test
    void damagedMessage_isNoReceipt() {
        receipt.expect(1);
        byte[] message = Header.timed(template, 0, 0, 0);
        message[BYTES - 1]++;

        receipt.received(MessageBytes.of(message, 0));

        assertThatThrownBy(() -> receipt.await(NOW)).hasMessageContaining("wrong bytes at");
        assertThat(receipt.checksum()).isNotEqualTo(FanOutReceipt.checksum(BYTES, 1));
    }
}
