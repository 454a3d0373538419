package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/** A {@code parley} process. Closing it kills the process. */
final class ParleyProcess implements AutoCloseable {

    static final Duration TIMEOUT = Duration.ofSeconds(150);

    private final String command;
    private final Process process;
    private final Lines errors;
    private final CompletableFuture<byte[]> allOutput = new CompletableFuture<>();

    private ParleyProcess(String command, Process process) {
        this.command = command;
        this.process = process;
        this.errors = new Lines(process.getErrorStream());
    }

    /** Starts a command in a directory, with the Java and the class path of this test. */
    static ParleyProcess start(Path directory, String... arguments) throws IOException {
        return startWith(directory, List.of(), arguments);
    }

    /** Starts a command with further options for the JVM. */
    static ParleyProcess startWith(Path directory, List<String> jvmOptions, String... arguments) throws IOException {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
        line.addAll(jvmOptions);
        if (Runtime.version().feature() >= 24) {
            line.add("--enable-native-access=ALL-UNNAMED"); // as the launcher does
        }
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.parley.examples.Parley"));
        line.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(line).directory(directory.toFile());
        builder.environment().put("LC_ALL", "C.UTF-8");
        return new ParleyProcess("parley " + String.join(" ", arguments), builder.start());
    }

    /** Returns the standard input of the process. */
    OutputStream input() {
        return process.getOutputStream();
    }

    /** Writes a line to the standard input. */
    void type(String line) throws IOException {
        input().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        input().flush();
    }

    /** Returns the lines of the standard output. Must not be combined with {@link #readAll}. */
    Lines lines() {
        return new Lines(process.getInputStream());
    }

    Lines errors() {
        return errors;
    }

    /** Starts to collect the standard output. {@link #output} waits for its end. */
    ParleyProcess readAll() {
        Thread reader = new Thread(
                () -> {
                    try {
                        allOutput.complete(process.getInputStream().readAllBytes());
                    } catch (IOException e) {
                        allOutput.completeExceptionally(e);
                    }
                },
                "output of " + command);
        reader.setDaemon(true);
        reader.start();
        return this;
    }

    byte[] output() {
        return allOutput.orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** Waits for the end of the process and returns the exit code. */
    int exitCode() throws InterruptedException {
        assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                .as("%s ends; standard error: %s", command, errors)
                .isTrue();
        errors.awaitEnd(); // the last lines may arrive after the exit
        return process.exitValue();
    }

    void assertSuccess() throws InterruptedException {
        assertThat(exitCode()).as("%s: %s", command, errors).isZero();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Kills the process, as kill -9 does. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() {
        kill();
    }

    /** Collects the lines of a stream. Thread-safe. */
    static final class Lines {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final List<String> lines = new ArrayList<>();
        private boolean ended;

        private Lines(InputStream stream) {
            Thread reader = new Thread(() -> read(stream), "lines");
            reader.setDaemon(true);
            reader.start();
        }

        private void read(InputStream stream) {
            try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                for (String line; (line = reader.readLine()) != null; ) {
                    add(line, false);
                }
            } catch (IOException e) {
                // The process was killed.
            } finally {
                add("", true);
            }
        }

        private void add(String line, boolean end) {
            lock.lock();
            try {
                if (end) {
                    ended = true;
                } else {
                    lines.add(line);
                }
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** Waits for a line, which may have arrived before. */
        String await(Predicate<String> wanted) throws InterruptedException {
            long nanos = TIMEOUT.toNanos();
            lock.lock();
            try {
                while (true) {
                    for (String line : lines) {
                        if (wanted.test(line)) {
                            return line;
                        }
                    }
                    if (ended || nanos <= 0) {
                        throw new AssertionError(
                                (ended ? "end of the output" : "timeout") + " before the expected line: " + lines);
                    }
                    nanos = changed.awaitNanos(nanos);
                }
            } finally {
                lock.unlock();
            }
        }

        private void awaitEnd() throws InterruptedException {
            long nanos = TIMEOUT.toNanos();
            lock.lock();
            try {
                while (!ended && nanos > 0) {
                    nanos = changed.awaitNanos(nanos);
                }
            } finally {
                lock.unlock();
            }
        }

        String awaitContaining(String text) throws InterruptedException {
            return await(line -> line.contains(text));
        }

        @Override
        public String toString() {
            lock.lock();
            try {
                return String.join("\n", lines);
            } finally {
                lock.unlock();
            }
        }
    }
}
