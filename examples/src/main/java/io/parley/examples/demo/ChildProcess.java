package io.parley.examples.demo;

import io.parley.examples.console.CommandFailedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A {@code parley} command in a process of its own that prints JSON. It exits when its standard input ends, so that it does
 * not outlive this process.
 */
final class ChildProcess implements AutoCloseable {

    private static final String MAIN_CLASS = "io.parley.examples.Parley";
    private static final String END = "";

    private final String name;
    private final Process process;
    private final Path errors;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private ChildProcess(String name, Process process, Path errors) {
        this.name = name;
        this.process = process;
        this.errors = errors;
    }

    /** Starts a command with the same Java and class path as this process. */
    static ChildProcess start(String name, Path directory, List<String> command) throws IOException {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(jvmOptions());
        line.add("-cp");
        line.add(System.getProperty("java.class.path"));
        line.add(MAIN_CLASS);
        line.addAll(command);
        line.add("--json");
        line.add("--exit-with-stdin");
        Path errors = Files.createTempFile(directory, name, ".err");
        Process process = new ProcessBuilder(line)
                .directory(directory.toFile())
                .redirectError(errors.toFile())
                .start();
        ChildProcess child = new ChildProcess(name, process, errors);
        child.readLines();
        return child;
    }

    /** Returns the JVM options that the launcher passes on; none without the launcher. */
    private static List<String> jvmOptions() {
        String options = System.getProperty("parley.jvm", "");
        return options.isBlank() ? List.of() : List.of(options.strip().split("\n"));
    }

    private void readLines() {
        Thread reader = new Thread(
                () -> {
                    try (BufferedReader out = new BufferedReader(
                            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                        out.lines().filter(line -> !line.isEmpty()).forEach(lines::add);
                    } catch (IOException | java.io.UncheckedIOException e) {
                        // The process has ended; the end is reported below.
                    } finally {
                        lines.add(END);
                    }
                },
                "output of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** Returns the next line of the output, which is a JSON object. */
    JsonFields next(Duration timeout) throws InterruptedException {
        String line = lines.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
        if (line == null) {
            throw new CommandFailedException(name + " has printed nothing for " + timeout.toSeconds()
                    + " s. Run the demo again when this machine is less busy.");
        }
        if (line.equals(END)) {
            throw new CommandFailedException(name + " has ended early: " + errorOutput());
        }
        return new JsonFields(name, line);
    }

    /** Waits for the end of the process and requires exit code 0. */
    void awaitSuccess(Duration timeout) throws InterruptedException {
        if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new CommandFailedException(name + " has not ended within " + timeout.toSeconds() + " s.");
        }
        if (process.exitValue() != 0) {
            throw new CommandFailedException(name + " has failed: " + errorOutput());
        }
    }

    private String errorOutput() {
        try {
            String text = Files.readString(errors).strip();
            return text.isEmpty() ? "no error message" : text;
        } catch (IOException e) {
            return "its error output cannot be read";
        }
    }

    /** Kills the process if it still runs, and waits for its end. */
    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
