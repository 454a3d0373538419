package io.parley.testkit;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Captures the output of slf4j-simple while it is open. Tests that use it must not run in parallel with others. */
public final class CapturedLog implements AutoCloseable {

    private final PrintStream original = System.err;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** Starts to capture the standard error stream. */
    public CapturedLog() {
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    }

    /** Returns the captured lines that contain a text. */
    public List<String> lines(String containing) {
        return bytes.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains(containing))
                .toList();
    }

    /** Restores the standard error stream and writes the captured output to it. */
    @Override
    public void close() {
        System.setErr(original);
        original.print(bytes.toString(StandardCharsets.UTF_8));
    }
}
