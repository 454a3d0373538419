package io.parley.examples.console;

import java.io.PrintStream;
import picocli.CommandLine.Help.Ansi;

/**
 * Where a command's words go. What a program may want to read goes to the standard output; remarks for people go to the
 * standard error, so that a pipe or a redirection gets the former alone.
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

    /** The console of this process. */
    public static Console ofProcess(boolean json) {
        // Only the launcher knows whether the standard error is a terminal: the JVM tells of all three streams at once,
        // and
        // since version 22 not even that.
        return new Console(System.out, System.err, json, Boolean.getBoolean("parley.terminal"));
    }

    /** Whether results are to be printed as JSON. */
    public boolean isJson() {
        return json;
    }

    /** Whether somebody looks at a terminal. */
    public boolean hasTerminal() {
        return terminal && !json;
    }

    /** A result: the JSON object where that was asked for, else the line. */
    public void result(JsonObject object, String line) {
        out.println(json ? object.toString() : line);
        out.flush();
    }

    /** A line of the result that has no JSON form. */
    public void print(String line) {
        if (!json) {
            out.println(line);
            out.flush();
        }
    }

    /** A remark for people; left out where JSON was asked for. */
    public void remark(String line) {
        if (!json) {
            err.println(line);
            err.flush();
        }
    }

    /** A remark that is given in any case, with picocli's colour markup such as {@code @|bold text|@}. */
    public void notice(String markup) {
        err.println(Ansi.AUTO.string(markup));
        err.flush();
    }

    /** The stream for remarks, for those who draw on it. */
    public PrintStream remarks() {
        return err;
    }
}
