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
 * A {@code parley} command in a process of its own, which prints JSON. It is told to end when its standard input does, so
 * that it does not outlive this process, however that ends.
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

    /** Starts a command under the same Java and with the same class path. */
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

    /** The launcher says how it started this JVM; without it the defaults do. */
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
                        // The process is gone; its end is told below.
                    } finally {
                        lines.add(END);
                    }
                },
                "output of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** The next line of its output, as a JSON object. */
    JsonFields next(Duration timeout) throws InterruptedException {
        String line = lines.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
        if (line == null) {
            throw new CommandFailedException(name + " says nothing for " + timeout.toSeconds()
                    + " s. Run the demo again when this machine is less busy.");
        }
        if (line.equals(END)) {
            throw new CommandFailedException(name + " has ended early: " + lastWords());
        }
        return new JsonFields(name, line);
    }

    /** Waits until it has ended by itself and in success. */
    void awaitSuccess(Duration timeout) throws InterruptedException {
        if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new CommandFailedException(name + " does not end within " + timeout.toSeconds() + " s.");
        }
        if (process.exitValue() != 0) {
            throw new CommandFailedException(name + " has failed: " + lastWords());
        }
    }

    private String lastWords() {
        try {
            String text = Files.readString(errors).strip();
            return text.isEmpty() ? "it gave no reason" : text;
        } catch (IOException e) {
            return "its reason can't be read";
        }
    }

    /** Ends it at once when it still runs, and waits until it is gone. */
    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
