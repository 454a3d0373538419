package io.parley.bench.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * A child process's side of the conversation with the runner: answers each command line of standard input with one line,
 * which starts with {@code @bench ok} or {@code @bench error}.
 */
public final class WorkerConsole {

    static final String PREFIX = "@bench ";

    private final PrintStream out;

    private WorkerConsole(PrintStream out) {
        this.out = out;
    }

    /** From now on whatever a library prints goes to standard error, where it can't look like an answer. */
    public static WorkerConsole take() {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        return new WorkerConsole(out);
    }

    /** Runs the program, then ends the process: whoever is measured may leave threads behind. */
    public void runAndHalt(Program program) {
        int status = 0;
        try {
            program.run();
        } catch (Exception failed) {
            failed(failed);
            status = 1;
        }
        Runtime.getRuntime().halt(status);
    }

    /** Says that all is set up. */
    public void ready(int port, String address, String details) {
        say("ready " + port + " " + address + "|" + details);
    }

    /** Answers commands until standard input ends. */
    public void obey(Command command) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            try {
                say("ok " + command.run(line.split(" ", -1)));
            } catch (Exception failed) {
                failed(failed);
            }
        }
    }

    /** What to throw at a command that there is not. */
    public static IllegalArgumentException unknown(String[] command) {
        return new IllegalArgumentException("unknown command: " + String.join(" ", command));
    }

    private void failed(Exception failure) {
        failure.printStackTrace();
        say("error " + failure);
    }

    private void say(String line) {
        out.println(PREFIX + line.replace('\n', ' '));
    }

    /** What a process does. */
    public interface Program {
        /** Runs to its end. */
        void run() throws Exception;
    }

    /** Answers a command. */
    public interface Command {
        /** The answer to its words. */
        String run(String[] words) throws Exception;
    }
}
