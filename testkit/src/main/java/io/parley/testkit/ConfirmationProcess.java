package io.parley.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A child process that writes to disk and prints the number of persistent items repeatedly until it is killed. */
public final class ConfirmationProcess implements AutoCloseable {

    private final Process process;
    private final Thread reader;
    private volatile int confirmed;

    private ConfirmationProcess(Process process, int first) {
        this.process = process;
        this.confirmed = first;
        this.reader = new Thread(this::read, "confirmed");
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts a process.
     *
     * @param main the main class of the process
     * @param first the number of persistent items before the start
     */
    public static ConfirmationProcess start(Class<?> main, int first, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        return new ConfirmationProcess(
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start(),
                first);
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
            for (String line; (line = lines.readLine()) != null; ) {
                confirmed = Integer.parseInt(line);
            }
        } catch (IOException e) {
            // The process was killed.
        }
    }

    /** Returns the number of items that the process has confirmed as persistent. */
    public int confirmed() {
        return confirmed;
    }

    /** Waits until at least a number of items is persistent. */
    public void await(int atLeast) {
        Eventually.until(
                () -> atLeast + " confirmed, but there are " + confirmed + ", alive: " + process.isAlive(),
                () -> confirmed >= atLeast);
    }

    /** Kills the process like {@code kill -9}. {@link #confirmed} does not change afterwards. */
    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
        try {
            reader.join();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }
}
