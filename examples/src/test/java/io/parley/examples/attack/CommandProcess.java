package io.parley.examples.attack;

import io.parley.testkit.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** A child process that obeys commands of one line each, and prints a line for each. Closing it kills the process. */
final class CommandProcess implements AutoCloseable {

    private final Process process;
    private final BufferedReader output;

    CommandProcess(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Executes a command. Returns the line that the process prints.
     *
     * @throws UncheckedIOException if the process has ended
     */
    String execute(String command) {
        try {
            process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.US_ASCII));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return readLine();
    }

    /** Returns the next line that the process prints; "null" if it has ended. */
    String readLine() {
        return Eventually.get(
                CompletableFuture.supplyAsync(() -> {
                    try {
                        return String.valueOf(output.readLine());
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }),
                "a line of process " + process.info().command().orElse("") + ' ' + process.pid());
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
