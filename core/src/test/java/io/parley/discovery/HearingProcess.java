package io.parley.discovery;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.endpoint.memory.InMemoryNetwork;
import io.parley.endpoint.memory.InMemoryPropagationProvider;
import io.parley.endpoint.memory.InMemoryTransportProvider;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.testkit.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A process with a peer that has a home, publishes, and hears what another one publishes, until it is killed. It prints the
 * number of what it has heard that was confirmed to be on disk.
 */
final class HearingProcess implements AutoCloseable {

    private static final int PER_FLUSH = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Process process;
    private final Thread reader;
    private volatile int confirmed;

    private HearingProcess(Process process, int first) {
        this.process = process;
        this.confirmed = first;
        this.reader = new Thread(this::read, "confirmed");
        reader.setDaemon(true);
        reader.start();
    }

    /** @param first the number of the first advertisement that it will hear */
    static HearingProcess start(Path home, int first) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HearingProcess.class.getName(),
                        home.toString(),
                        Integer.toString(first))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new HearingProcess(process, first);
    }

    /** What is heard as that number. */
    static DiscoveryQuery query(int number) {
        return DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME)
                .with("Id", pipe(number, "").id().urn());
    }

    private static PipeAdvertisement pipe(int number, String name) {
        return PipeAdvertisement.of(PipeId.named(GroupId.NET, "heard " + number), PipeType.UNICAST, name);
    }

    /** In the other process. */
    public static void main(String[] arguments) {
        InMemoryNetwork network = new InMemoryNetwork(2);
        Peer bob = start(Peer.builder(), "bob", network);
        Peer alice = start(Peer.builder().home(Path.of(arguments[0])), "alice", network);
        Discovery discovery = alice.netGroup().discovery();
        int next = Integer.parseInt(arguments[1]);
        while (true) {
            int first = next;
            String batch =
                    "batch " + first + " of process " + ProcessHandle.current().pid();
            DiscoveryQuery query =
                    DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME).with("Name", batch);
            for (; next < first + PER_FLUSH; next++) {
                bob.netGroup().discovery().publish(pipe(next, batch));
                discovery.publish(
                        PipeAdvertisement.of(PipeId.named(GroupId.NET, "own " + next), PipeType.UNICAST, "own"));
            }
            SearchOptions options = SearchOptions.of(PATIENCE, PER_FLUSH);
            while (Eventually.get(discovery.find(query, options), "a search").size() < PER_FLUSH) {
                Thread.onSpinWait();
            }
            Eventually.get(discovery.flush(), "flushing");
            System.out.println(next);
        }
    }

    private static Peer start(PeerBuilder builder, String name, InMemoryNetwork network) {
        return builder.name(name)
                .transport(new InMemoryTransportProvider(network))
                .propagation(new InMemoryPropagationProvider(network))
                .listen("mem://" + name)
                .start();
    }

    private void read() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
            for (String line; (line = lines.readLine()) != null; ) {
                confirmed = Integer.parseInt(line);
            }
        } catch (IOException e) {
            // It was killed.
        }
    }

    /** All below this number are on disk. */
    int confirmed() {
        return confirmed;
    }

    void await(int atLeast) {
        Eventually.until(
                () -> atLeast + " advertisements confirmed, but there are " + confirmed + ", alive: "
                        + process.isAlive(),
                () -> confirmed >= atLeast);
    }

    /** As kill -9; after it {@link #confirmed} is final. */
    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
        try {
            reader.join();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }
}
