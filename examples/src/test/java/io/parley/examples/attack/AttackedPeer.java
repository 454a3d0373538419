package io.parley.examples.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.examples.ProgramJvm;
import io.parley.id.PeerId;
import io.parley.transport.PeerAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The {@link AttackedPeerProcess}, with 256 MiB of heap, from the view of the test. Closing it kills the process. */
final class AttackedPeer implements AutoCloseable {

    private static final long MIB = 1024 * 1024;

    /** The root of the budget tree, which is three quarters of the heap, and 32 MiB. */
    static final long MAX_LIVE_BYTES = (256 / 4 * 3 + 32) * MIB;

    /** The system property with the processor of the attacked peer, the last one of the campaign. */
    static final String PROCESSOR = "parley.test.attacked.processor";

    private final CommandProcess process;
    private final Path log;
    private final PeerAddress address;

    private AttackedPeer(CommandProcess process, Path log) {
        this.process = process;
        this.log = log;
        this.address = PeerAddress.parse(process.readLine());
    }

    /** Starts the process. Its log is written to a file in {@code directory}. */
    static AttackedPeer start(Path directory, String... jvmOptions) throws IOException {
        Path log = Files.createTempFile(directory, "attacked", ".log");
        List<String> command = ProgramJvm.java(System.getProperty("java.class.path"));
        command.addAll(List.of(
                // As `parley rendezvous`: the serial collector, which a JVM with one processor chooses, stops it for
                // 100 ms and more.
                "-XX:+UseG1GC",
                "-Xmx256m",
                "-Dslf4j.provider=ch.qos.logback.classic.spi.LogbackServiceProvider",
                AttackedPeerProcess.class.getName()));
        command.addAll(1, List.of(jvmOptions));
        if (!AttackScene.LONG) {
            // A short life: compiling well takes more time than it saves.
            command.add(1, "-XX:TieredStopAtLevel=1");
        }
        Integer processor = Integer.getInteger(PROCESSOR);
        if (processor != null) {
            command.addAll(0, List.of("taskset", "-c", processor.toString()));
        }
        return new AttackedPeer(
                new CommandProcess(
                        new ProcessBuilder(command).redirectError(log.toFile()).start()),
                log);
    }

    PeerId id() {
        return address.peer();
    }

    PeerAddress address() {
        return address;
    }

    InetSocketAddress socketAddress() {
        return new InetSocketAddress(
                address.addresses().get(0).host(), address.addresses().get(0).port());
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** The memory in bytes: live objects after a full collection, direct memory of Netty, and all memory of the process. */
    record Memory(long live, long direct, long resident) {

        @Override
        public String toString() {
            return "live " + live / MIB + " MiB, direct " + direct / MIB + " MiB, resident " + resident / MIB + " MiB";
        }
    }

    Memory memory() {
        long[] bytes = Stream.of(execute(AttackedPeerProcess.MEMORY).split(" "))
                .mapToLong(Long::parseLong)
                .toArray();
        return new Memory(bytes[0], bytes[1], bytes[2]);
    }

    /** Releases the messages of the service that keeps them. */
    void release() {
        assertThat(execute(AttackedPeerProcess.RELEASE)).endsWith("messages");
    }

    /** Sets a clock that is ahead to the right time. */
    void setClock() {
        execute(AttackedPeerProcess.SET_CLOCK);
    }

    /** Searches for pipes by the pattern of a name. Returns how many were found. */
    int search(String pattern) {
        return Integer.parseInt(execute(AttackedPeerProcess.SEARCH + pattern));
    }

    private String execute(String command) {
        try {
            return process.execute(command);
        } catch (UncheckedIOException e) {
            throw new AssertionError("the process has ended: " + log(), e);
        }
    }

    /** Deletes the log of the closed peer. */
    void deleteLog() throws IOException {
        Files.delete(log);
    }

    /** Returns the text of the log. */
    String log() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
