package io.parley.bench.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

final class PeerMainTest {

    @Test
    void arrival_isTheTimeOfTheNextMessage() throws Exception {
        assertThat(PeerMain.arrival(new LinkedBlockingQueue<>(List.of(5L, 6L)), Duration.ofSeconds(20)))
                .isEqualTo("5");
    }

    @Test
    void arrival_withoutMessage_fails_soThatTheRunnerGetsAnError() {
        assertThatThrownBy(() -> PeerMain.arrival(new LinkedBlockingQueue<>(), Duration.ZERO))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("message");
    }
}
