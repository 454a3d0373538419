package io.parley.store.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.store.StoreLimits;
import io.parley.testkit.ClockScheduler;
import io.parley.testkit.LiveHeap;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MemoryStoreTest extends AdvertisementStoreContractTest {

    @Override
    AdvertisementStore create(StoreLimits limits) {
        return AdvertisementStore.inMemory(limits, new ClockScheduler(clock, new Random(SEED)), executor);
    }

    @Test
    void smallEntries_needNoMoreHeapThanTheLimit() {
        long maxHeapBytes = 16 << 20;
        long before = LiveHeap.bytes();
        AdvertisementStore store = store(
                StoreLimits.DEFAULTS.toBuilder().maxHeapBytes(maxHeapBytes).build());
        long i = 0;
        while (store.put(entry(key("n" + i), 1, NOW + 1000, "Name", "x" + i, "Place", "y" + i)) == PutOutcome.ADDED) {
            i++;
        }
        long used = LiveHeap.bytes() - before;
        assertThat(store.sizeBytes()).isBetween(maxHeapBytes * 9 / 10, maxHeapBytes);
        assertThat(used).isLessThanOrEqualTo(maxHeapBytes * 11 / 10);
    }
}
