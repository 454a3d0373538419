package io.parley.advertisement.store;

import io.parley.id.GroupId;
import io.parley.testkit.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** A process that puts entries, and prints the number of those that were confirmed, until it is killed. */
final class PuttingProcess implements AutoCloseable {
    private static final int PER_FLUSH = 5;

    private final Process process;
    private final Thread reader;
    private volatile int confirmed;

    private PuttingProcess(Process process) {
        this.process = process;
        this.reader = new Thread(this::read, "confirmed");
        reader.setDaemon(true);
        reader.start();
    }

    static PuttingProcess start(Path file) throws IOException {
        return new PuttingProcess(new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path"),
                        PuttingProcess.class.getName(),
                        file.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** What the process puts as number {@code i}. */
    static StoreEntry entry(int i) {
        byte[] document = ("document " + i + " ").repeat(50).getBytes(StandardCharsets.UTF_8);
        return new StoreEntry(
                new StoreKey(GroupId.NET, "pipe", "n" + i),
                List.of(new StoreAttribute("Name", "v" + i), new StoreAttribute("All", "x")),
                i,
                Long.MAX_VALUE,
                document);
    }

    /** In the other process: goes on after what is there. */
    public static void main(String[] arguments) throws Exception {
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        AdvertisementStore store =
                AdvertisementStore.open(Path.of(arguments[0]), StoreLimits.DEFAULTS, Clock.systemUTC(), executor);
        int next = (int) store.count();
        while (true) {
            for (int i = 0; i < PER_FLUSH; i++) {
                store.put(entry(next++));
            }
            store.flush().get();
            System.out.println(next);
        }
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

    /** All entries below this number are on disk. */
    int confirmed() {
        return confirmed;
    }

    void await(int atLeast) {
        Eventually.until(
                () -> atLeast + " entries confirmed, but there are " + confirmed + ", alive: " + process.isAlive(),
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
