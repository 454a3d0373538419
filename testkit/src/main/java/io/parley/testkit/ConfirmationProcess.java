package io.parley.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A child process that repeatedly prints the number of items it has confirmed to be on disk, until it is killed. */
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
     * Starts the process.
     *
     * @param first the number of items that are on disk already
     */
    public static ConfirmationProcess start(Class<?> main, int first, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-Dio.netty.jfr.enabled=false", // as the JVMs of the tests, for a faster start
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

    /** Returns the number of confirmed items. */
    public int confirmed() {
        return confirmed;
    }

    /** Waits until at least this number of items is confirmed. */
    public void await(int atLeast) {
        Eventually.until(
                () -> atLeast + " confirmed items expected, found " + confirmed + ", alive: " + process.isAlive(),
                () -> confirmed >= atLeast);
    }

    /** Kills the process like {@code kill -9}. After this call {@link #confirmed} is final. */
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
