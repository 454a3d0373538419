package io.parley.examples.service;

import io.parley.error.ApplicationException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.examples.console.TextFormatter;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.RequestHandler;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Handles each request by a process: the body of the request is its standard input, its standard output the response. An exit code other
 * than 0 is the code of an error, and the first line of the standard error its text. Thread-safe.
 */
public final class CommandHandler implements RequestHandler, AutoCloseable {

    /** Is notified of each command that has ended. */
    @FunctionalInterface
    public interface Listener {

        /**
         * Called when the command has ended, on the thread of the request.
         *
         * @param exitCode its exit code, or the code of the error if it was killed
         * @param output   its standard output; empty if it was killed
         */
        void ended(PipeMessage request, int exitCode, byte[] output);
    }

    /** The element of requests and responses that contains their bytes. */
    public static final String BODY = "body";

    /** The code of the error if the command runs for too long: that of the command {@code timeout}. */
    private static final int TIMED_OUT = 124;

    /** The code of the error if the output exceeds its limit. */
    private static final int TOO_LONG = 1;

    /** The code of the error if the command cannot be started: that of a shell. */
    private static final int NOT_STARTED = 127;

    /** Where the JDK looks for a program without the variable {@code PATH}. */
    private static final String DEFAULT_PATH = ":/bin:/usr/bin";

    private static final int MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
    private static final int MAX_ERROR_BYTES = 4096;

    /** The time for the rest of the error stream after the command has ended. */
    private static final long ERRORS_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final List<String> command;
    private final Duration timeout;
    private final Console console;
    private final Listener listener;
    private final Set<Process> running = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * @param timeout the time after which the process of a request is killed, with its children
     * @throws CommandFailedException if there is no such program
     */
    public CommandHandler(List<String> command, Duration timeout, Console console, Listener listener) {
        requireProgram(command.get(0));
        this.command = List.copyOf(command);
        this.timeout = timeout;
        this.console = console;
        this.listener = listener;
    }

    /** Otherwise each request would fail, also those that another holder could execute. Windows tries names with several endings. */
    private static void requireProgram(String name) {
        boolean found = File.separatorChar == '\\'
                || (name.contains("/")
                        ? isProgram("", name)
                        : isInFolders(System.getenv().getOrDefault("PATH", DEFAULT_PATH), name));
        if (!found) {
            throw new CommandFailedException("There is no program " + TextFormatter.oneLine(name)
                    + ". Check its path, or write sh -c before a command of the shell.");
        }
    }

    /** Returns whether one of the folders, which are separated as in {@code PATH}, contains the program. */
    static boolean isInFolders(String folders, String name) {
        return Stream.of(folders.split(File.pathSeparator)).anyMatch(folder -> isProgram(folder, name));
    }

    private static boolean isProgram(String folder, String name) {
        try {
            Path file = Path.of(folder, name);
            return Files.isRegularFile(file) && Files.isExecutable(file);
        } catch (InvalidPathException e) {
            return false; // a name that the encoding of this JVM cannot express
        }
    }

    @Override
    public Message handle(PipeMessage request) throws IOException, InterruptedException {
        byte[] body = request.message().bytes(BODY).orElse(new byte[0]);
        Process process = start(request);
        running.add(process);
        try {
            if (closed) {
                kill(process);
            }
            return handle(request, process, body);
        } finally {
            kill(process);
            running.remove(process);
        }
    }

    private Process start(PipeMessage request) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("PARLEY_PEER", request.from().text());
        builder.environment().put("PARLEY_ATTEMPT", Integer.toString(request.attempt()));
        try {
            return builder.start();
        } catch (IOException e) {
            console.notice("Cannot start the command: " + e.getMessage());
            throw new ApplicationException(NOT_STARTED, "the command cannot be started", e);
        }
    }

    private Message handle(PipeMessage request, Process process, byte[] body) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(timeout);
        startThread("input", () -> write(process, body));
        // On threads of their own, because children of the process can keep its streams open.
        CompletableFuture<String> errorLine = CompletableFuture.supplyAsync(
                () -> readErrors(process.getErrorStream()), task -> startThread("errors", task));
        CompletableFuture<byte[]> reading = CompletableFuture.supplyAsync(
                () -> readOutput(process.getInputStream()), task -> startThread("output", task));
        try {
            byte[] output = await(reading, deadline);
            if (output.length > MAX_RESPONSE_BYTES) {
                listener.ended(request, TOO_LONG, new byte[0]);
                throw new ApplicationException(
                        TOO_LONG, "the output of the command exceeds " + MAX_RESPONSE_BYTES + " bytes");
            }
            int exitCode = await(process.onExit(), deadline).exitValue();
            String line = exitCode == 0 ? "" : awaitErrors(errorLine);
            boolean killed = closed && exitCode != 0;
            listener.ended(request, exitCode, killed ? new byte[0] : output);
            if (exitCode != 0) {
                throw new ApplicationException(exitCode, line.isEmpty() ? "the command has failed" : line);
            }
            return Message.of(BODY, output);
        } catch (TimeoutException e) {
            listener.ended(request, TIMED_OUT, new byte[0]);
            throw new ApplicationException(
                    TIMED_OUT, "the command ran longer than " + TextFormatter.seconds(timeout), e);
        }
    }

    /** Returns what the command has written, also if a child of it keeps the stream open. */
    private static String awaitErrors(CompletableFuture<String> errorLine) throws IOException, InterruptedException {
        try {
            return await(errorLine, System.nanoTime() + ERRORS_NANOS);
        } catch (TimeoutException e) {
            return "";
        }
    }

    private static <T> T await(CompletableFuture<T> future, long deadline)
            throws IOException, InterruptedException, TimeoutException {
        try {
            return future.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new IOException("cannot read the output of the command", e.getCause());
        }
    }

    private static void startThread(String name, Runnable task) {
        Thread thread = new Thread(task, "parley-command-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void write(Process process, byte[] body) {
        try (OutputStream input = process.getOutputStream()) {
            input.write(body);
        } catch (IOException e) {
            // The command does not read its input, which is its choice.
        }
    }

    private static byte[] readOutput(InputStream stream) {
        try (InputStream output = stream) {
            return output.readNBytes(MAX_RESPONSE_BYTES + 1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads all, so that the command does not block. Returns the first line. */
    private static String readErrors(InputStream stream) {
        ByteArrayOutputStream first = new ByteArrayOutputStream();
        try (InputStream errors = stream) {
            boolean inFirst = true;
            byte[] buffer = new byte[MAX_ERROR_BYTES];
            for (int count = errors.read(buffer); count >= 0; count = errors.read(buffer)) {
                for (int i = 0; i < count && inFirst; i++) {
                    inFirst = buffer[i] != '\n' && first.size() < MAX_ERROR_BYTES;
                    if (inFirst) {
                        first.write(buffer[i]);
                    }
                }
            }
        } catch (IOException e) {
            // The process was killed.
        }
        return first.toString(StandardCharsets.UTF_8).strip();
    }

    /** Kills a process and its children, in the order in which they started each other, so that none starts another one meanwhile. */
    private static void kill(Process process) {
        if (process.isAlive()) {
            List<ProcessHandle> children = process.descendants().toList();
            // Process.destroyForcibly closes the input, which waits for the thread that writes to it.
            process.toHandle().destroyForcibly();
            children.forEach(ProcessHandle::destroyForcibly);
        }
    }

    /** Kills the processes that run, and their children. */
    @Override
    public void close() {
        closed = true;
        running.forEach(CommandHandler::kill);
    }
}
