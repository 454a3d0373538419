package io.parley.examples.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.examples.console.CommandFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TcpTargetTest {

    @ParameterizedTest
    @CsvSource({
        "5432, localhost:5432",
        "db.example.org:5432, db.example.org:5432",
        "127.0.0.1:1, 127.0.0.1:1",
        "[::1]:65535, [::1]:65535"
    })
    void parse_acceptsPortAndHost(String text, String target) {
        assertThat(TcpTarget.parse(text)).hasToString(target);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ":", ":1", "x", "host", "host:", "host:0", "host:65536", "host:-1", "::1:80", "[]:80", " :80"
            })
    void parse_refusesTheRest(String text) {
        assertThatThrownBy(() -> TcpTarget.parse(text))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageStartingWith("Not a TCP port: ")
                .hasMessageEndingWith(".");
    }

    @Test
    void failures_areBounded_andCounted() {
        AtomicLong nanos = new AtomicLong();
        List<String> lines = new ArrayList<>();
        ConnectionLog log = new ConnectionLog(lines::add, nanos::get);
        for (int i = 0; i < ConnectionLog.MAX_LINES + 5; i++) {
            log.print("line");
        }
        assertThat(lines).hasSize(ConnectionLog.MAX_LINES).containsOnly("line");
        nanos.addAndGet(10_000_000_000L);
        log.print("line");
        assertThat(lines).hasSize(ConnectionLog.MAX_LINES + 1).last().isEqualTo("line (and 5 more lines)");
    }
}
