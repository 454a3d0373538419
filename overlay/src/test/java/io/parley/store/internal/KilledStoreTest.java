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

/** Kills processes while they write. */
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
        killAndCheck(5);
    }

    @Tag("slow")
    @Test
    void kill_whileWriting_losesNothingConfirmed_often() throws IOException {
        killAndCheck(50);
    }

    private void killAndCheck(int kills) throws IOException {
        long seed = Long.getLong("parley.test.seed", System.nanoTime());
        System.out.println("parley.test.seed=" + seed);
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
            before = check(file, confirmed);
        }
    }

    /** Checks that all confirmed entries exist and that entries and indexes agree. Returns the number of entries. */
    private int check(Path file, int confirmed) {
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
