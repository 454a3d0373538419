package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.examples.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TransferDisplayTest {

    @Test
    void started_titleOfAnotherPeer_isOneLineOfText() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream stream = new PrintStream(err, true, StandardCharsets.UTF_8);
        try (TransferDisplay display = new TransferDisplay(new Console(stream, stream, false, false), "receiving")) {
            display.started("a\u202eb\u2028c", 1, 1);
        }
        assertThat(err.toString(StandardCharsets.UTF_8)).startsWith("a b c: 1 file");
    }
}
