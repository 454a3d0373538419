package io.parley.bench.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The child process's end of the command protocol with the runner. Each line of standard input is a command; the reply
 * is one line that starts with {@code @bench ok} or {@code @bench error}. The process ends soon after standard input, also
 * during a command.
 */
public final class WorkerConsole {

    static final String PREFIX = "@bench ";

    private static final long GRACE_SECONDS = 3;

    private final PrintStream out;
    private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();

    private WorkerConsole(PrintStream out) {
        this.out = out;
    }

    /**
     * Returns the console of this process and redirects {@link System#out} to standard error, so that output of
     * libraries cannot be mistaken for a reply.
     */
    public static WorkerConsole take() {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        WorkerConsole console = new WorkerConsole(out);
        Thread reader = new Thread(console::read, "bench-commands");
        reader.setDaemon(true);
        reader.start();
        return console;
    }

    /** Reads commands until standard input ends. Then halts the process if a command or a close does not end it. */
    private void read() {
        try {
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(Optional.of(line));
            }
        } catch (IOException ended) {
            // as the end of the input
        }
        lines.add(Optional.empty());
        try {
            TimeUnit.SECONDS.sleep(GRACE_SECONDS);
        } catch (InterruptedException interrupted) {
            // no thread interrupts this one
        }
        Runtime.getRuntime().halt(1);
    }

    /** Runs the program, then halts the process, because the stack under test may leave threads behind. */
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

    /** Reports that the setup is complete. */
    public void ready(int port, String address, String details) {
        writeLine("ready " + port + " " + address + "|" + details);
    }

    /** Executes commands and writes their replies until standard input ends. */
    public void obey(Command command) throws InterruptedException {
        for (Optional<String> line = lines.take(); line.isPresent(); line = lines.take()) {
            try {
                writeLine("ok " + command.run(line.get().split(" ", -1)));
            } catch (Exception failed) {
                failed(failed);
            }
        }
    }

    /** Returns the exception for an unknown command. */
    public static IllegalArgumentException unknown(String[] command) {
        return new IllegalArgumentException(
                "command: " + String.join(" ", command) + " (expected: a command of this process)");
    }

    private void failed(Exception failure) {
        failure.printStackTrace();
        writeLine("error " + failure);
    }

    private void writeLine(String line) {
        out.println(PREFIX + line.replace('\n', ' '));
    }

    /** The program of a process. */
    public interface Program {
        /** Runs the program until it is complete. */
        void run() throws Exception;
    }

    /** Executes a command. */
    public interface Command {
        /**
         * Returns the reply to a command.
         *
         * @param words the command and its arguments
         */
        String run(String[] words) throws Exception;
    }
}
