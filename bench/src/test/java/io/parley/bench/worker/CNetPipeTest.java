package io.parley.bench.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

final class CNetPipeTest {

    @Test
    void parse_outputOfNetPipe_hasTheMicrosecondsOfATransferBySize() throws WorkerException {
        List<String> lines = List.of(
                "       1 1.043652   0.00000731", "       2 2.189891   0.00000697", "16777216 18503.99 0.00691743");

        assertThat(CNetPipe.parse(lines)).containsOnlyKeys(1, 2, 16 << 20);
        assertThat(CNetPipe.parse(lines).get(1)).isCloseTo(7.31, Offset.offset(1e-9));
    }

    @Test
    void parse_anotherLine_isRejected() {
        assertThatExceptionOfType(WorkerException.class)
                .isThrownBy(() -> CNetPipe.parse(List.of("usage")))
                .withMessage("c-netpipe: usage (expected: bytes, Mbit/s and seconds)");
    }
}
