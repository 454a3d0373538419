package io.parley.examples.console;

import java.io.PrintStream;

/**
 * The output of a command. Results go to the standard output and remarks for the user to the standard error, so that a
 * pipe or a redirection receives only the results.
 */
public final class Console {

    private final PrintStream out;
    private final PrintStream err;
    private final boolean json;
    private final boolean terminal;

    public Console(PrintStream out, PrintStream err, boolean json, boolean terminal) {
        this.out = out;
        this.err = err;
        this.json = json;
        this.terminal = terminal;
    }

    /** Returns the console of this process. */
    public static Console ofProcess(boolean json) {
        // Only the launcher can test whether the standard error is a terminal: the JVM tests all three streams
        // together,
        // and not even that since version 22.
        return new Console(System.out, System.err, json, Boolean.getBoolean("parley.terminal"));
    }

    /** Returns whether results are printed as JSON. */
    public boolean isJson() {
        return json;
    }

    /** Returns whether the output appears on a terminal. */
    public boolean hasTerminal() {
        return terminal && !json;
    }

    /** Prints a result: the JSON object if JSON is selected, otherwise the line. */
    public void result(JsonObject object, String line) {
        out.println(json ? object.toString() : line);
        out.flush();
    }

    /** Prints a line on the standard output; omitted if JSON is selected. */
    public void print(String line) {
        if (!json) {
            out.println(line);
            out.flush();
        }
    }

    /** Prints a remark for the user; omitted if JSON is selected. */
    public void remark(String line) {
        if (!json) {
            err.println(line);
            err.flush();
        }
    }

    /** Prints a remark even if JSON is selected. */
    public void notice(String line) {
        err.println(line);
        err.flush();
    }

    /** Returns the stream of the remarks, for example for a progress bar. */
    public PrintStream remarkStream() {
        return err;
    }
}
