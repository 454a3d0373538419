package io.parley.examples.shell;

import io.parley.examples.console.Console;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads one command per line, for scripts. */
final class PlainInput implements ShellInput {

    private final Console console;
    private final BufferedReader input;

    PlainInput(Console console, InputStream input) {
        this.console = console;
        this.input = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
    }

    @Override
    public @Nullable String read(String prompt) throws IOException {
        return input.readLine();
    }

    @Override
    public Console console() {
        return console;
    }

    @Override
    public void close() {}
}
