package io.parley.examples.chat;

import java.io.IOException;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;

/** Edits a line on a terminal. Incoming lines appear above it. */
final class TerminalScreen implements ChatScreen {

    private final Terminal terminal;
    private final LineReader reader;

    TerminalScreen() throws IOException {
        terminal = TerminalBuilder.builder().system(true).build();
        reader = LineReaderBuilder.builder()
                .terminal(terminal)
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true)
                .build();
    }

    @Override
    public void show(ChatLine line) {
        reader.printAbove(line.toString());
    }

    @Override
    public @Nullable String read() {
        try {
            return reader.readLine("> ");
        } catch (EndOfFileException | UserInterruptException e) {
            return null;
        }
    }

    @Override
    public void close() {
        try {
            terminal.close();
        } catch (IOException e) {
            // The process ends in any case.
        }
    }
}
