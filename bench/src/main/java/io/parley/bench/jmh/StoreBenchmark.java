package io.parley.bench.jmh;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.bench.parley.ParleyHomeGenerator;
import io.parley.bench.worker.TemporaryDirectories;
import io.parley.discovery.DiscoveryQuery;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Searches a local store with a given number of advertisements by an exact name and by a prefix. */
@SuppressWarnings("NullAway.Init") // fill sets the fields before any other call by JMH
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class StoreBenchmark {

    private static final int MAX_RESULTS = 50;

    /** The number of advertisements. */
    @Param("100000")
    int entries;

    private final Random random = new Random(1);
    private Path home;
    private Peer peer;

    /** Fills a home and starts a peer with it. */
    @Setup(Level.Trial)
    public void fill() throws IOException {
        home = Files.createTempDirectory("parley-bench");
        ParleyHomeGenerator.fill(home, entries);
        PeerBuilder builder = Peer.loopback().home(home);
        peer = builder.start();
    }

    /** Searches for one pipe by its name. */
    @Benchmark
    public List<SignedAdvertisement> findOne() {
        return find(ParleyHomeGenerator.pipe(random.nextInt(entries)));
    }

    /** Searches for the pipes whose names start with the same digits. */
    @Benchmark
    public List<SignedAdvertisement> findByPrefix() {
        return find(ParleyHomeGenerator.pipe(random.nextInt(entries) / 10) + "*");
    }

    private List<SignedAdvertisement> find(String pattern) {
        return peer.netGroup()
                .discovery()
                .findLocal(DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME).with("Name", pattern), MAX_RESULTS);
    }

    /** Closes the peer and deletes its home. */
    @TearDown(Level.Trial)
    public void close() {
        peer.close();
        TemporaryDirectories.delete(home);
    }
}
