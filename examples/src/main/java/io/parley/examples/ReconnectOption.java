package io.parley.examples;

import java.time.Duration;
import picocli.CommandLine.Option;

/** The option for the time that a command waits for a peer whose connection has broken. */
final class ReconnectOption {

    @Option(
            names = "--reconnect",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            defaultValue = "10s",
            description = "Maximum time to wait for a peer whose connection has broken. Default: ${DEFAULT-VALUE}")
    private Duration timeout = Duration.ofSeconds(10);

    Duration timeout() {
        return timeout.isZero() ? Duration.ofMillis(1) : timeout;
    }
}
