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

/** A real {@code parley} process for tests; closing it kills it. */
final class ParleyProcess implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(150);

    private final String command;
    private final Process process;
    private final Lines errors;
    private final CompletableFuture<byte[]> allOutput = new CompletableFuture<>();

    private ParleyProcess(String command, Process process) {
        this.command = command;
        this.process = process;
        this.errors = new Lines(process.getErrorStream());
    }

    /** Starts a command in a directory, with this test's Java and class path. */
    static ParleyProcess start(Path directory, String... arguments) throws IOException {
        return startWith(directory, List.of(), arguments);
    }

    /** Same, with further options for the JVM. */
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

    /** The standard input of the process. */
    OutputStream input() {
        return process.getOutputStream();
    }

    /** Says a line. */
    void type(String line) throws IOException {
        input().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        input().flush();
    }

    /** The standard output as lines; not together with {@link #readAll}. */
    Lines lines() {
        return new Lines(process.getInputStream());
    }

    Lines errors() {
        return errors;
    }

    /** Starts to collect the standard output; {@link #output} waits for its end. */
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
        return allOutput.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** Waits for the end and gives the exit code. */
    int exitCode() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("%s ends; it said: %s", command, errors)
                .isTrue();
        errors.awaitEnd(); // which may be read a moment later
        return process.exitValue();
    }

    void assertSuccess() throws InterruptedException {
        assertThat(exitCode()).as("%s: %s", command, errors).isZero();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** As kill -9. */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() {
        kill();
    }

    /** Lines of a stream, which are collected as they come. */
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

        /** Waits for a line; those before it may come at any time. */
        String await(Predicate<String> wanted) throws InterruptedException {
            long nanos = PATIENCE.toNanos();
            lock.lock();
            try {
                while (true) {
                    for (String line : lines) {
                        if (wanted.test(line)) {
                            return line;
                        }
                    }
                    if (ended || nanos <= 0) {
                        throw new AssertionError((ended ? "ended" : "timed out") + " before that line came: " + lines);
                    }
                    nanos = changed.awaitNanos(nanos);
                }
            } finally {
                lock.unlock();
            }
        }

        private void awaitEnd() throws InterruptedException {
            long nanos = PATIENCE.toNanos();
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
