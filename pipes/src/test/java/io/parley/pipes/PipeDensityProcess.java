package io.parley.pipes;

import io.parley.Peer;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.transport.PeerAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A child process of {@link PipeDensityTest} with one or many peers with default settings. It executes the commands that it reads
 * from its standard input, one a line, and prints the result of each.
 */
final class PipeDensityProcess implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final Process process;
    private final BufferedReader results;

    private PipeDensityProcess(Process process) {
        this.process = process;
        this.results = process.inputReader(StandardCharsets.UTF_8);
    }

    static PipeDensityProcess start(String maxHeap) throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + maxHeap,
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                PipeDensityProcess.class.getName());
        return new PipeDensityProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** Returns the result of a command, a line. */
    String run(Object... command) {
        StringBuilder line = new StringBuilder();
        for (Object part : command) {
            line.append(part).append(' ');
        }
        try {
            process.outputWriter(StandardCharsets.UTF_8)
                    .append(line.append('\n'))
                    .flush();
            String result = results.readLine();
            if (result == null || result.startsWith("FAILED")) {
                throw new AssertionError(line + ": " + result);
            }
            return result;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long number(Object... command) {
        return Long.parseLong(run(command));
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** The commands, in the child process. */
    private static final class Commands {

        private final List<Peer> peers = new ArrayList<>();
        private final List<AutoCloseable> pipes = new ArrayList<>();
        private final List<OutputPipe> outputs = new ArrayList<>();
        private final AtomicLong received = new AtomicLong();

        String execute(String[] words) throws Exception {
            return switch (words[0]) {
                case "start" -> start(Integer.parseInt(words[1]));
                case "open" -> open(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                case "listen" -> listen(Integer.parseInt(words[1]));
                case "connect" -> connect(words[1], Integer.parseInt(words[2]), Integer.parseInt(words[3]));
                case "sendOne" -> sendOne();
                case "connectAll" -> connectAll(words[1], Integer.parseInt(words[2]));
                case "sendAll" -> sendAll(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
                case "flood" -> flood(words[1], Integer.parseInt(words[2]), Integer.parseInt(words[3]));
                case "received" -> Long.toString(received.get());
                case "heap" -> Long.toString(usedHeap());
                default -> throw new IllegalArgumentException(words[0]);
            };
        }

        /** Starts peers. Returns the address of the first one. */
        private String start(int count) {
            for (int i = 0; i < count; i++) {
                peers.add(Peer.loopback().start());
            }
            return peers.get(0).address().toString();
        }

        private Pipes pipes() {
            return Pipes.of(peers.get(0));
        }

        private static String name(int number) {
            return "pipe " + number;
        }

        /** Opens input pipes that are not published and not read. */
        private String open(int first, int count) {
            for (int i = first; i < first + count; i++) {
                pipes.add(pipes().open(pipes().pipeId(name(i))));
            }
            return "opened";
        }

        /** Opens an input pipe that counts its messages. */
        private String listen(int number) {
            pipes.add(pipes().listen(pipes().pipeId(name(number)), message -> received.incrementAndGet()));
            return "listening";
        }

        /** Connects to pipes by their tickets, one after the other. Returns the average time in nanoseconds. */
        private String connect(String holder, int first, int count) throws InterruptedException {
            PeerAddress address = PeerAddress.parse(holder);
            List<PipeTicket> tickets = new ArrayList<>();
            for (int i = first; i < first + count; i++) {
                PipeId id = pipes().pipeId(name(i));
                tickets.add(new PipeTicket(id, address));
            }
            long start = System.nanoTime();
            for (PipeTicket ticket : tickets) {
                outputs.add(pipes().connect(ticket, TIMEOUT));
            }
            return Long.toString((System.nanoTime() - start) / count);
        }

        /** Sends one message through each pipe. */
        private String sendOne() {
            List<CompletableFuture<Void>> sent = new ArrayList<>();
            outputs.forEach(pipe -> sent.add(pipe.send(Message.of("text", "one"))));
            sent.forEach(CompletableFuture::join);
            return "sent";
        }

        /** Connects each peer to one pipe, several at a time. */
        private String connectAll(String holder, int number) throws InterruptedException {
            PipeTicket ticket = new PipeTicket(pipes().pipeId(name(number)), PeerAddress.parse(holder));
            Semaphore slots = new Semaphore(8); // a host may have few handshakes at a time
            List<CompletableFuture<OutputPipe>> connecting = new ArrayList<>();
            for (Peer peer : peers) {
                slots.acquire();
                connecting.add(
                        Pipes.of(peer).connectAsync(ticket, TIMEOUT).whenComplete((pipe, failure) -> slots.release()));
            }
            connecting.forEach(pipe -> outputs.add(pipe.join()));
            return "connected";
        }

        /** Sends messages through each pipe. Returns the time in milliseconds. */
        private String sendAll(int messages, int bytes) {
            long start = System.nanoTime();
            List<CompletableFuture<Void>> sent = new ArrayList<>();
            for (int i = 0; i < messages; i++) {
                outputs.forEach(pipe -> sent.add(pipe.send(Message.of("data", new byte[bytes]))));
            }
            sent.forEach(CompletableFuture::join);
            return Long.toString(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        }

        /** Sends messages of the first peers to a pipe that is not read, and does not wait. */
        private String flood(String holder, int number, int senders) throws InterruptedException {
            PipeTicket ticket = new PipeTicket(pipes().pipeId(name(number)), PeerAddress.parse(holder));
            for (Peer peer : peers.subList(0, senders)) {
                OutputPipe pipe = Pipes.of(peer).connect(ticket, TIMEOUT);
                pipes.add(pipe);
                while (pipe.isWritable()) {
                    pipe.send(Message.of("data", new byte[1000]));
                }
            }
            return "flooded";
        }

        private static long usedHeap() throws InterruptedException {
            long used = Long.MAX_VALUE;
            for (int i = 0; i < 5; i++) { // references that are cleared by one collection free more in the next
                System.gc();
                Thread.sleep(100); // for the thread that clears references, which reports nothing
                used = Math.min(
                        used,
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
            }
            return used;
        }
    }

    public static void main(String[] arguments) throws IOException {
        Commands commands = new Commands();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            try {
                System.out.println(commands.execute(line.trim().split(" ")));
            } catch (Exception e) {
                System.out.println("FAILED " + e);
            }
        }
        System.exit(0);
    }
}
