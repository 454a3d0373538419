package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A {@code parley} process. Closing it kills the process. */
final class ParleyProcess implements AutoCloseable {

    static final Duration TIMEOUT = Duration.ofSeconds(90);

    /** The address of a process that listens on a port of the system's choice. */
    static final String ANY_PORT = "tcp://127.0.0.1:0";

    private static final Pattern TICKET =
            Pattern.compile("[a-z2-7]{56}:[a-z2-7]{56}@(?:relay\\+)?(?:tcp|http)://\\S+:\\d+");

    /** The launcher of the packaged program; {@code null} if this test runs with the classes alone. */
    private static final @Nullable String LAUNCHER = ProgramJvm.LAUNCHER;

    private final String command;
    private final Process process;
    private final Lines errors;
    private final CompletableFuture<byte[]> allOutput = new CompletableFuture<>();

    private ParleyProcess(String command, Process process) {
        this.command = command;
        this.process = process;
        this.errors = new Lines(process.getErrorStream());
    }

    /** Starts a command in a directory. */
    static ParleyProcess start(Path directory, String... arguments) throws IOException {
        return startWith(directory, List.of(), arguments);
    }

    /** Starts a command with further options for the JVM, which must not contain white space. */
    static ParleyProcess startWith(Path directory, List<String> jvmOptions, String... arguments) throws IOException {
        List<String> options = new ArrayList<>(List.of("-XX:TieredStopAtLevel=1"));
        options.addAll(jvmOptions);
        List<String> line = LAUNCHER == null ? withoutLauncher(options) : new ArrayList<>(List.of(LAUNCHER));
        line.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(line).directory(directory.toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("PARLEY_OPTS", String.join(" ", options));
        builder.environment().put("LC_ALL", "C.UTF-8");
        return new ParleyProcess("parley " + String.join(" ", arguments), builder.start());
    }

    /** Starts a program of a user: a class that uses Parley, with the class path of the packaged program. */
    static ParleyProcess startClass(Path classes, List<String> jvmOptions, String name, List<String> arguments)
            throws IOException {
        List<String> line = ProgramJvm.java(classes.toString());
        line.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        line.addAll(jvmOptions);
        line.add(name);
        line.addAll(arguments);
        return new ParleyProcess(name + " " + String.join(" ", arguments), new ProcessBuilder(line).start());
    }

    /** Starts a command that uses only these rendezvous, without multicast. */
    static ParleyProcess startWithRendezvous(Path directory, List<String> rendezvous, String... arguments)
            throws IOException {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.add("--no-multicast");
        rendezvous.forEach(address -> words.addAll(List.of("--rendezvous", address)));
        return start(directory, words.toArray(String[]::new));
    }

    /** Returns a local address at which nothing listens. The system assigns its port to no other socket. */
    static String freeAddress() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
            try (ServerSocket free = new ServerSocket(port)) {
                return "tcp://127.0.0.1:" + free.getLocalPort();
            } catch (IOException e) {
                // Try another port.
            }
        }
    }

    /** Returns the ticket in the lines that a command prints. */
    static String ticket(Lines lines) throws InterruptedException {
        Matcher matcher =
                TICKET.matcher(lines.await(line -> TICKET.matcher(line).find()));
        assertThat(matcher.find()).isTrue();
        return matcher.group();
    }

    /** Returns a ticket with another address of the process. */
    static String ticketAt(String address, String ticket) {
        return ticket.substring(0, ticket.indexOf('@') + 1) + address;
    }

    /** Returns the text of a field in a line of JSON. */
    static String field(String json, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        assertThat(matcher.find()).as("%s in %s", name, json).isTrue();
        return matcher.group(1);
    }

    /** Returns a command line with the class path of this test, for tests that run before the program is packaged. */
    private static List<String> withoutLauncher(List<String> options) {
        List<String> line = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC"));
        if (Runtime.version().feature() >= 24) {
            line.add("--enable-native-access=ALL-UNNAMED");
        }
        line.addAll(options);
        line.add("-Dparley.jvm=-XX:+UseSerialGC\n" + String.join("\n", options));
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.parley.examples.Parley"));
        return line;
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

    /** Returns the whole standard output as text. {@link #readAll} must have been called. */
    String text() {
        return new String(output(), StandardCharsets.UTF_8);
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

    /** Interrupts the process, as kill and Ctrl-C do. Does not wait for its end. */
    void interrupt() {
        process.toHandle().destroy();
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

        /** Waits until all lines together fulfil a condition. */
        void awaitAll(Predicate<List<String>> condition) throws InterruptedException {
            long nanos = TIMEOUT.toNanos();
            lock.lock();
            try {
                while (!condition.test(lines)) {
                    if (ended || nanos <= 0) {
                        throw new AssertionError(
                                (ended ? "end of the output" : "timeout") + " before the expected lines: " + lines);
                    }
                    nanos = changed.awaitNanos(nanos);
                }
            } finally {
                lock.unlock();
            }
        }

        void awaitEnd() throws InterruptedException {
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
