package io.parley.store.internal;

import io.parley.store.StoreLimits;
import io.parley.testkit.ClockScheduler;

class MemoryStoreTest extends AdvertisementStoreContractTest {

    @Override
    AdvertisementStore create(StoreLimits limits) {
        return AdvertisementStore.inMemory(limits, new ClockScheduler(clock), executor);
    }
}
