package io.parley.examples.chat;

import io.parley.examples.console.Console;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads and prints plain lines, for scripts. */
final class PlainScreen implements ChatScreen {

    private final Console console;
    private final BufferedReader input;

    PlainScreen(Console console, InputStream input) {
        this.console = console;
        this.input = new BufferedReader(new InputStreamReader(input, StandardCharsets.UTF_8));
    }

    @Override
    public void show(ChatLine line) {
        console.result(line.toJson(), line.toString());
    }

    @Override
    public @Nullable String read() throws IOException {
        return input.readLine();
    }

    @Override
    public void close() {}
}
