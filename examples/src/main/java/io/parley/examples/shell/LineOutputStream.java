package io.parley.examples.shell;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Gives what is written on, line by line. */
final class LineOutputStream extends OutputStream {

    private final Consumer<String> lines;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    LineOutputStream(Consumer<String> lines) {
        this.lines = lines;
    }

    @Override
    public synchronized void write(int octet) {
        if (octet == '\n') {
            lines.accept(line.toString(StandardCharsets.UTF_8));
            line.reset();
        } else if (octet != '\r') {
            line.write(octet);
        }
    }
}
