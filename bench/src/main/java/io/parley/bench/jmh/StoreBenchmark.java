package io.parley.bench.jmh;

import io.parley.common.Scheduler;
import io.parley.id.GroupId;
import io.parley.store.StoreLimits;
import io.parley.store.internal.AdvertisementStore;
import io.parley.store.internal.PutOutcome;
import io.parley.store.internal.StoreAttribute;
import io.parley.store.internal.StoreEntry;
import io.parley.store.internal.StoreKey;
import io.parley.store.internal.StoreQuery;
import io.parley.store.internal.StoreResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
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

/** The advertisement store: a search by an exact value, a put, and opening, with a certain number of entries in it. */
@SuppressWarnings("NullAway.Init") // the fields are set by fill, before JMH calls anything else
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class StoreBenchmark {
    private static final int DOCUMENT_BYTES = 600;
    private static final long NEVER = Long.MAX_VALUE;

    /** Where the entries are. */
    public enum Kind {
        /** In a file. */
        FILE,
        /** In memory. */
        MEMORY
    }

    /** Where the entries are. */
    @Param
    Kind kind;

    /** How many there are. */
    @Param("100000")
    int entries;

    private final Random random = new Random(1);
    private final byte[] document = new byte[DOCUMENT_BYTES];
    private ScheduledExecutorService executor;
    private Path file;
    private AdvertisementStore store;
    private long issue;

    /** Makes the entries. */
    @Setup(Level.Trial)
    public void fill() throws IOException {
        executor = Executors.newSingleThreadScheduledExecutor();
        file = Files.createTempDirectory("parley-bench").resolve("advertisements.mv");
        store = open();
        for (int i = 0; i < entries; i++) {
            put(i);
        }
        store.flush().join();
    }

    private AdvertisementStore open() {
        StoreLimits limits = StoreLimits.DEFAULTS.toBuilder()
                .maxEntries(2 * entries + 1)
                .maxBytes(1L << 40)
                .build();
        return kind == Kind.FILE
                ? AdvertisementStore.open(file, limits, Scheduler.system(), executor)
                : AdvertisementStore.inMemory(limits, Scheduler.system(), executor);
    }

    private PutOutcome put(int number) {
        random.nextBytes(document);
        return store.put(new StoreEntry(
                new StoreKey(GroupId.NET, "pipe", "pipe " + scatter(number)),
                List.of(new StoreAttribute("Id", "id " + scatter(~number)), new StoreAttribute("Name", name(number))),
                issue++,
                NEVER - number,
                document));
    }

    /** Neighbours in number are none in the index, as ids are. */
    private static String scatter(int number) {
        return Integer.toHexString(number * 0x9E3779B1);
    }

    private static String name(int number) {
        return "name " + number / 20;
    }

    /** One entry by its id. */
    @Benchmark
    public StoreResult findOne() {
        return find("Id", "id " + scatter(~random.nextInt(entries)));
    }

    /** The twenty that share a name. */
    @Benchmark
    public StoreResult findTwenty() {
        return find("Name", name(random.nextInt(entries)));
    }

    private StoreResult find(String attribute, String value) {
        return store.find(StoreQuery.of(GroupId.NET, "pipe").with(attribute, value), 50);
    }

    /** A newer document for an entry that is there. */
    @Benchmark
    public PutOutcome put() {
        return put(random.nextInt(entries));
    }

    /** A put that is waited for until it is on disk. */
    @Benchmark
    public void putAndFlush() {
        put();
        store.flush().join();
    }

    /** Closes the store, opens it and asks the first question. */
    @Benchmark
    public StoreResult closeAndOpen() {
        if (kind == Kind.FILE) {
            store.close();
            store = open();
        }
        return findOne();
    }

    /** Ends. */
    @TearDown(Level.Trial)
    public void close() {
        store.close();
        executor.shutdownNow();
    }
}
