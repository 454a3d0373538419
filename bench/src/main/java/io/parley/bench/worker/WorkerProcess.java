package io.parley.bench.worker;

import io.parley.bench.contender.Contender;
import io.parley.bench.operation.PeerStack;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One child process and the conversation with it. Not thread-safe. */
public final class WorkerProcess implements AutoCloseable {

    private static final Duration START_PATIENCE = Duration.ofSeconds(60);
    private static final String END = "";

    private final String name;
    private final Path log;
    private final Process process;
    private final PrintWriter commands;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

    private WorkerProcess(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
        this.commands = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** Starts a process for {@code words}; what it prints on standard error goes to {@code log}. */
    static WorkerProcess start(Contender contender, Path log, List<String> words) throws IOException {
        List<String> command = new ArrayList<>(CpuPinner.prefix(words.get(0).equals(WorkerMain.SERVE)));
        command.addAll(JvmCommand.command(contender.ownJars()));
        command.add(WorkerMain.class.getName());
        command.addAll(words);
        return start(contender.name() + " " + words.get(0), log, command);
    }

    /** Starts a process whose {@link WorkerConsole} speaks; what it prints on standard error goes to {@code log}. */
    static WorkerProcess start(String name, Path log, List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        WorkerProcess worker = new WorkerProcess(name, log, process);
        Thread reader = new Thread(worker::readAnswers, "answers of " + worker.name);
        reader.setDaemon(true);
        reader.start();
        return worker;
    }

    /** Starts a process of one peer, see {@link PeerMain}; what it prints on standard error goes to a file of {@code logs}. */
    static WorkerProcess start(PeerStack stack, String label, Path logs, List<String> words) throws IOException {
        List<String> command = new ArrayList<>(JvmCommand.command(stack.ownJars()));
        command.add(PeerMain.class.getName());
        command.addAll(words);
        String role = words.get(0);
        Path log = Files.createDirectories(logs).resolve(label + "-" + role + ".log");
        return start(label + " " + role, log, command);
    }

    /** Starts a process of ours whose {@link WorkerConsole} speaks, with our class path. */
    public static WorkerProcess start(Class<?> main, Path logs, List<String> words) throws IOException {
        List<String> command = new ArrayList<>(JvmCommand.command(List.of()));
        command.add(main.getName());
        command.addAll(words);
        String name = main.getSimpleName();
        return start(name, Files.createDirectories(logs).resolve(name + ".log"), command);
    }

    private void readAnswers() {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith(WorkerConsole.PREFIX)) {
                    answers.add(line.substring(WorkerConsole.PREFIX.length()));
                }
            }
        } catch (IOException ended) {
            // as below
        }
        answers.add(END);
    }

    /** What the worker says when it is ready: its port, its address, its details. */
    public Ready ready() throws WorkerException, InterruptedException {
        String[] parts = answer("ready ", "start", START_PATIENCE).split("\\|", 2);
        String[] words = parts[0].split(" ", 2);
        return new Ready(Integer.parseInt(words[0]), words[1], parts[1]);
    }

    /** Sends a command and waits for its answer. */
    public String ask(String command, Duration patience) throws WorkerException, InterruptedException {
        commands.println(command);
        return answer("ok ", command, patience);
    }

    private String answer(String expected, String command, Duration patience)
            throws WorkerException, InterruptedException {
        String line = answers.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (line == null) {
            throw new WorkerException(
                    "%s: no answer to \"%s\" within %s".formatted(name, command, DurationFormatter.text(patience)));
        }
        if (!line.startsWith(expected)) {
            throw new WorkerException("%s: \"%s\" failed: %s (see %s)"
                    .formatted(name, command, line.isEmpty() ? "the process ended" : line, log.getFileName()));
        }
        return line.substring(expected.length());
    }

    /** Ends the process: politely, by closing its input, then not. */
    @Override
    public void close() {
        commands.close();
        try {
            if (!process.waitFor(3, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** The first words of a worker. */
    public record Ready(int port, String address, String details) {}
}
