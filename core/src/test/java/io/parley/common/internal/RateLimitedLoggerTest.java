package io.parley.common.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.testkit.CapturedLog;
import io.parley.testkit.HostileText;
import io.parley.testkit.ManualScheduler;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.event.SubstituteLoggingEvent;
import org.slf4j.helpers.SubstituteLogger;

class RateLimitedLoggerTest {

    @Test
    void info_isLoggedOnceAMinute() {
        try (CapturedLog captured = new CapturedLog()) {
            RateLimitedLogger log =
                    new RateLimitedLogger(LoggerFactory.getLogger(RateLimitedLoggerTest.class), new ManualScheduler());
            log.info("Peer {} is late: {}", 1, "so");
            log.info("Peer {} is late: {}", 2, "so");
            assertThat(captured.lines("is late"))
                    .singleElement()
                    .satisfies(line -> assertThat(line).contains("INFO").endsWith("Peer 1 is late: so"));
        }
    }

    @Test
    void warn_isLoggedOnceAMinute_withTheNumberOfSuppressedLines() {
        ManualScheduler time = new ManualScheduler();
        try (CapturedLog captured = new CapturedLog()) {
            RateLimitedLogger log = new RateLimitedLogger(LoggerFactory.getLogger(RateLimitedLoggerTest.class), time);
            for (int i = 1; i <= 5; i++) {
                log.warn("Peer {} is wrong: {}", i, "so");
            }
            assertThat(captured.lines("is wrong"))
                    .singleElement()
                    .satisfies(line -> assertThat(line).contains("WARN").endsWith("Peer 1 is wrong: so"));
            time.advance(Duration.ofMinutes(1));
            log.warn("Peer {} is wrong: {}", 6, "so");
            assertThat(captured.lines("is wrong"))
                    .hasSize(2)
                    .last()
                    .satisfies(line -> assertThat(line)
                            .endsWith("Peer 6 is wrong: so (and 4 more since the last line of this kind)"));
            time.advance(Duration.ofMinutes(1));
            log.warn("Peer {} is wrong: {}", 7, "so");
            assertThat(captured.lines("is wrong"))
                    .hasSize(3)
                    .last()
                    .satisfies(line -> assertThat(line).endsWith("Peer 7 is wrong: so"));
        }
    }

    @Test
    void warn_withHostileText_isPrintable() {
        try (CapturedLog captured = new CapturedLog()) {
            RateLimitedLogger log =
                    new RateLimitedLogger(LoggerFactory.getLogger(RateLimitedLoggerTest.class), new ManualScheduler());
            Object argument = new StringBuilder(HostileText.TEXT);
            log.warn("Peer {} is hostile: {}", argument, HostileText.TEXT, new IOException(HostileText.TEXT));
            assertThat(captured.lines("is hostile")).hasSize(1);
            HostileText.assertPrintableLines(String.join("\n", captured.lines("")));
        }
    }

    @Test
    void suppressedLine_isPrintable_atDebugLevel() {
        Queue<SubstituteLoggingEvent> events = new ArrayDeque<>();
        RateLimitedLogger log =
                new RateLimitedLogger(new SubstituteLogger("test", events, false), new ManualScheduler());
        log.warn("Peer {} is hostile", 1);
        log.warn("Peer {} is hostile", HostileText.TEXT);
        assertThat(events).extracting(SubstituteLoggingEvent::getLevel).containsExactly(Level.WARN, Level.DEBUG);
        assertThat(events)
                .last()
                .satisfies(event -> assertThat(event.getArgumentArray())
                        .singleElement()
                        .satisfies(argument -> HostileText.assertPrintable((String) argument)));
    }
}
