package io.parley.examples.chat;

import io.parley.examples.console.Console;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Displays chat lines and reads typed ones. Any thread may show lines while one thread reads. */
public interface ChatScreen extends AutoCloseable {

    /** Displays a line. */
    void show(ChatLine line);

    /** Returns the next typed line, or {@code null} at the end of the input. */
    @Nullable
    String read() throws IOException;

    @Override
    void close();

    /** Returns a line editor on a terminal, otherwise the plain standard input and output. */
    static ChatScreen of(Console console) throws IOException {
        return console.canAsk() ? new TerminalScreen() : new PlainScreen(console, System.in);
    }
}
