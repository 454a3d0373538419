package io.parley.bench.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class JvmCommandTest {

    @Test
    void command_disablesTheLeakDetectionOfEveryNetty() {
        assertThat(JvmCommand.command(List.of()))
                .contains(
                        "-Dio.netty.leakDetection.level=disabled",
                        "-Dio.grpc.netty.shaded.io.netty.leakDetection.level=disabled");
    }
}
