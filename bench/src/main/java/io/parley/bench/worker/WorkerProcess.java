package io.parley.bench.worker;

import io.parley.bench.contender.Contender;
import io.parley.bench.operation.PeerStack;
import io.parley.bench.stream.StreamContender;
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
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A child process that executes commands of the runner. Not thread-safe. */
public final class WorkerProcess implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final String END = "";

    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Thread end = new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "end-workers");
        Runtime.getRuntime().addShutdownHook(end); // the run may be interrupted by a signal
    }

    private final String name;
    private final Path log;
    private final Process process;
    private final PrintWriter commands;
    private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();

    private WorkerProcess(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
        this.commands = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** Starts a contender process with {@code arguments}; its standard error is appended to {@code log}. */
    static WorkerProcess start(Contender contender, Path log, List<String> arguments) throws IOException {
        String role = arguments.get(0);
        return startPlaced(
                role.equals(WorkerMain.SERVE),
                contender.name() + " " + role,
                log,
                contender.ownJars(),
                WorkerMain.class,
                arguments);
    }

    /**
     * Starts a process of a contender on the processors of its role; its standard error is appended to {@code log}.
     *
     * @param server whether it is the serving or receiving process
     * @param ownJars the jars of the contender, see {@link Contender#ownJars}
     */
    static WorkerProcess startPlaced(
            boolean server, String name, Path log, List<Path> ownJars, Class<?> main, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>(CpuPinner.prefix(server));
        command.addAll(server ? List.of() : TimerSlack.prefix());
        command.addAll(JvmCommand.command(ownJars));
        command.addAll(CpuPinner.jvmOptions());
        command.add(main.getName());
        command.addAll(arguments);
        return start(name, log, command);
    }

    /** Starts a process of a stream contender, placed as {@link #startPlaced} does, in {@code setting}. */
    static WorkerProcess start(
            StreamContender contender, StreamSetting setting, boolean server, Path log, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>(server ? setting.servingPrefix() : setting.connectingPrefix());
        command.addAll(CpuPinner.prefix(server));
        command.addAll(server ? List.of() : TimerSlack.prefix());
        command.addAll(JvmCommand.command(contender.ownJars(), setting.heap()));
        command.addAll(CpuPinner.jvmOptions());
        command.add(StreamMain.class.getName());
        command.addAll(arguments);
        return start(contender.name() + " " + arguments.get(0), log, command);
    }

    /** Starts a process that uses {@link WorkerConsole}; its standard error is appended to {@code log}. */
    static WorkerProcess start(String name, Path log, List<String> command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        RUNNING.add(process);
        WorkerProcess worker = new WorkerProcess(name, log, process);
        Thread reader = new Thread(worker::readReplies, "replies-" + worker.name);
        reader.setDaemon(true);
        reader.start();
        return worker;
    }

    /**
     * Starts a process of one peer, see {@link PeerMain}; its standard error is appended to a file in {@code logs}.
     */
    static WorkerProcess start(PeerStack stack, String label, Path logs, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(JvmCommand.command(stack.ownJars()));
        command.add(PeerMain.class.getName());
        command.addAll(arguments);
        String role = arguments.get(0);
        Path log = Files.createDirectories(logs).resolve(label + "-" + role + ".log");
        return start(label + " " + role, log, command);
    }

    /**
     * Starts a process with the main class {@code main}, which uses {@link WorkerConsole}, and with the runner's class
     * path.
     */
    public static WorkerProcess start(Class<?> main, Path logs, List<String> arguments) throws IOException {
        return start(main, List.of(), logs, arguments);
    }

    /**
     * Starts such a process with more options of the JVM.
     *
     * @param jvmOptions options that replace the default ones
     */
    public static WorkerProcess start(Class<?> main, List<String> jvmOptions, Path logs, List<String> arguments)
            throws IOException {
        List<String> command = new ArrayList<>(JvmCommand.command(List.of()));
        command.addAll(jvmOptions);
        command.add(main.getName());
        command.addAll(arguments);
        String name = main.getSimpleName();
        return start(name, Files.createDirectories(logs).resolve(name + ".log"), command);
    }

    private void readReplies() {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith(WorkerConsole.PREFIX)) {
                    replies.add(line.substring(WorkerConsole.PREFIX.length()));
                }
            }
        } catch (IOException ended) {
            // the end of the process is reported below
        }
        replies.add(END);
    }

    /** Waits until the worker is ready, and returns its port, address and details. */
    public Ready ready() throws WorkerException, InterruptedException {
        String[] parts = awaitReply("ready ", "start", START_TIMEOUT).split("\\|", 2);
        String[] fields = parts[0].split(" ", 2);
        return new Ready(Integer.parseInt(fields[0]), fields[1], parts[1]);
    }

    /** Sends a command and waits for its reply. */
    public String request(String command, Duration timeout) throws WorkerException, InterruptedException {
        send(command);
        return awaitReply(command, timeout);
    }

    /** Sends a command, whose reply must be awaited before the next command. */
    void send(String command) {
        commands.println(command);
    }

    /** Waits for the reply to {@code command}. */
    String awaitReply(String command, Duration timeout) throws WorkerException, InterruptedException {
        return awaitReply("ok ", command, timeout);
    }

    private String awaitReply(String expected, String command, Duration timeout)
            throws WorkerException, InterruptedException {
        String line = replies.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
        if (line == null) {
            throw new WorkerException(
                    "%s: no reply to \"%s\" within %s".formatted(name, command, DurationFormatter.text(timeout)));
        }
        if (!line.startsWith(expected)) {
            throw new WorkerException("%s: \"%s\" failed: %s (see %s)"
                    .formatted(name, command, line.isEmpty() ? "the process ended" : line, log.getFileName()));
        }
        return line.substring(expected.length());
    }

    /**
     * Sends the process a signal of Unix, such as STOP.
     *
     * @throws WorkerException if this machine has none
     */
    void signal(String signal) throws IOException, WorkerException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .redirectErrorStream(true)
                .start();
        if (kill.waitFor() != 0) {
            throw new WorkerException("%s: cannot be sent signal %s".formatted(name, signal));
        }
    }

    /** Destroys the process, which does not close its connections. */
    void kill() {
        process.destroyForcibly();
    }

    /** Ends the process by closing its input. Destroys it if it has not ended after 3 s, and waits for its end, as it has files. */
    @Override
    public void close() {
        commands.close();
        try {
            if (!process.waitFor(3, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor(3, TimeUnit.SECONDS);
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        RUNNING.remove(process);
    }

    /** The first line of a worker. */
    public record Ready(int port, String address, String details) {}
}
