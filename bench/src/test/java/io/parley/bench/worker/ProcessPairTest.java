package io.parley.bench.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ProcessPairTest {

    @TempDir
    private Path folder = Path.of("");

    @Test
    void cpuTime_growsOnBothSidesWhileMessagesFlow() throws Exception {
        try (ProcessPair pair = ProcessPair.start(ContenderRegistry.named("sockets"), folder)) {
            pair.prepare(64);
            CpuTime start = pair.cpuTime();
            CpuTime spent = start;
            while (spent.connectingNanos() == 0 || spent.servingNanos() == 0 || spent == start) {
                pair.roundTrips(WaitMode.CALLER, Duration.ofMillis(50), Long.MAX_VALUE);
                spent = pair.cpuTime().since(start);
            }

            assertThat(spent.totalNanos()).isEqualTo(spent.connectingNanos() + spent.servingNanos());
            assertThat(spent.totalNanos()).isPositive();
        }
    }
}
