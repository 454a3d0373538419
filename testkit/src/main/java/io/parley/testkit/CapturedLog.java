package io.parley.testkit;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What slf4j-simple writes while it is open. Tests that use it must not run beside others. */
public final class CapturedLog implements AutoCloseable {

    private final PrintStream original = System.err;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    /** Begins to capture. */
    public CapturedLog() {
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    }

    /** The lines so far that contain the text. */
    public List<String> lines(String containing) {
        return bytes.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains(containing))
                .toList();
    }

    /** Ends, and writes what it has kept to where it would have gone. */
    @Override
    public void close() {
        System.setErr(original);
        original.print(bytes.toString(StandardCharsets.UTF_8));
    }
}
