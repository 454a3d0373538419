package io.parley.examples.console;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The output of a command. Results go to the standard output and remarks for the user to the standard error, so that a
 * pipe or a redirection receives only the results. Text of other peers cannot control the terminal: {@link TextFormatter#lines}
 * is applied to all that is printed, except to the {@link #output} of programs if it goes to a file or a pipe.
 */
public final class Console {

    private static final Set<String> YES = Set.of("y", "yes");
    private static final int MAX_ANSWER_CHARS = 16;

    private final PrintStream out;
    private final PrintStream err;
    private final boolean json;
    private final boolean terminal;
    private final boolean outputTerminal;
    private final @Nullable InputStream input;

    /** Creates a console that asks no questions. */
    public Console(PrintStream out, PrintStream err, boolean json, boolean terminal) {
        this(out, err, json, terminal, null);
    }

    /** @param input the answers of the user; {@code null} if no question can be asked */
    public Console(PrintStream out, PrintStream err, boolean json, boolean terminal, @Nullable InputStream input) {
        this(out, err, json, terminal, terminal, input);
    }

    private Console(
            PrintStream out,
            PrintStream err,
            boolean json,
            boolean terminal,
            boolean outputTerminal,
            @Nullable InputStream input) {
        this.out = out;
        this.err = err;
        this.json = json;
        this.terminal = terminal;
        this.outputTerminal = outputTerminal;
        this.input = input;
    }

    /** Returns the console of this process. */
    public static Console ofProcess(boolean json) {
        // Only the launcher can test whether a stream is a terminal: the JVM tests all streams together,
        // and not even that since version 22.
        InputStream answers = Boolean.getBoolean("parley.terminal.input") ? System.in : null;
        return new Console(
                System.out,
                System.err,
                json,
                Boolean.getBoolean("parley.terminal"),
                Boolean.getBoolean("parley.terminal.output"),
                answers);
    }

    /** Returns whether results are printed as JSON. */
    public boolean isJson() {
        return json;
    }

    /** Returns whether the output appears on a terminal. */
    public boolean hasTerminal() {
        return terminal && !json;
    }

    /** Returns whether the user can be asked: questions and answers are on a terminal. */
    public boolean canAsk() {
        return hasTerminal() && input != null;
    }

    /** Asks a question that is answered by yes or no. Everything but yes is no, also the end of the input. */
    public boolean ask(String question) throws IOException {
        err.print(TextFormatter.lines(question) + " [y/N] ");
        err.flush();
        InputStream answers = Objects.requireNonNull(input);
        StringBuilder answer = new StringBuilder();
        for (int next = answers.read(); next >= 0 && next != '\n'; next = answers.read()) {
            if (answer.length() < MAX_ANSWER_CHARS) {
                answer.append((char) next);
            }
        }
        return YES.contains(answer.toString().strip().toLowerCase(Locale.ROOT));
    }

    /** Prints a result: the JSON object if JSON is selected, otherwise the line. */
    public void result(JsonObject object, String line) {
        out.println(TextFormatter.lines(json ? object.toString() : line));
        out.flush();
    }

    /**
     * Prints the output of another program on the standard output, without output of other threads in between: as text if that is a
     * terminal, otherwise unchanged.
     */
    public void output(byte[] bytes) {
        if (outputTerminal) {
            out.print(TextFormatter.lines(new String(bytes, StandardCharsets.UTF_8)));
        } else {
            out.write(bytes, 0, bytes.length);
        }
        out.flush();
    }

    /** Prints a line on the standard output; omitted if JSON is selected. */
    public void print(String line) {
        if (!json) {
            out.println(TextFormatter.lines(line));
            out.flush();
        }
    }

    /** Prints a remark for the user; omitted if JSON is selected. */
    public void remark(String line) {
        if (!json) {
            err.println(TextFormatter.lines(line));
            err.flush();
        }
    }

    /** Prints a remark even if JSON is selected. */
    public void notice(String line) {
        err.println(TextFormatter.lines(line));
        err.flush();
    }

    /** Returns the stream of the remarks, for example for a progress bar. */
    public PrintStream remarkStream() {
        return err;
    }
}
