package io.parley.examples.chat;

import io.parley.examples.console.Console;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Where chat lines appear and are typed. Lines may be shown by any thread while one reads. */
public interface ChatScreen extends AutoCloseable {

    /** Shows a line. */
    void show(ChatLine line);

    /** The next line that was typed, or null at the end of the input. */
    @Nullable
    String read() throws IOException;

    @Override
    void close();

    /** A line editor on a terminal, else the plain standard input and output. */
    static ChatScreen of(Console console) throws IOException {
        return console.hasTerminal() ? new TerminalScreen() : new PlainScreen(console, System.in);
    }
}
