package io.parley.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process that prints the number of those that are on disk, again and again, until it is killed. */
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

    /** @param first how many are on disk before it begins */
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
            // It was killed.
        }
    }

    /** All below this number are on disk. */
    public int confirmed() {
        return confirmed;
    }

    /** Waits until at least so many are on disk. */
    public void await(int atLeast) {
        Eventually.until(
                () -> atLeast + " confirmed, but there are " + confirmed + ", alive: " + process.isAlive(),
                () -> confirmed >= atLeast);
    }

    /** As kill -9; after it {@link #confirmed} is final. */
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
