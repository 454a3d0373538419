package io.parley.store.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.Scheduler;
import io.parley.store.StoreLimits;
import io.parley.store.internal.StoreMetrics.Counter;
import io.parley.testkit.ConfirmationProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are killed while they write. */
class KilledStoreTest {
    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();

    @TempDir
    Path temp;

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    @Test
    void kill_whileWriting_losesNothingConfirmed() throws IOException {
        killAndLook(5);
    }

    @Tag("slow")
    @Test
    void kill_whileWriting_losesNothingConfirmed_often() throws IOException {
        killAndLook(50);
    }

    private void killAndLook(int kills) throws IOException {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Path file = temp.resolve("advertisements.mv");
        int before = 0;
        for (int kill = 0; kill < kills; kill++) {
            int confirmed;
            try (ConfirmationProcess process = StoreWriterProcess.start(file)) {
                process.await(before + 1 + random.nextInt(200));
                process.close();
                confirmed = process.confirmed();
            }
            before = look(file, confirmed);
        }
    }

    /** Looks whether all is there that was confirmed, and that entries and indexes say the same; tells how many. */
    private int look(Path file, int confirmed) {
        try (AdvertisementStore store =
                AdvertisementStore.open(file, StoreLimits.DEFAULTS, Scheduler.system(), executor)) {
            assertThat(store.metrics().get(Counter.CORRUPT_FILES)).isZero();
            int count = (int) store.count();
            assertThat(count).isGreaterThanOrEqualTo(confirmed);
            StoreQuery all = StoreQuery.of(StoreWriterProcess.entry(0).key().group(), "pipe");
            for (int i = 0; i < count; i++) {
                StoreEntry entry = StoreWriterProcess.entry(i);
                assertThat(store.get(entry.key())).contains(entry);
                assertThat(store.find(all.with("Name", "v" + i), 2).entries()).containsExactly(entry);
            }
            assertThat(store.find(all.with("Name", "v" + count), 2).entries()).isEmpty();
            return count;
        }
    }
}
