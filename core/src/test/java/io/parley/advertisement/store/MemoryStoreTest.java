package io.parley.advertisement.store;

class MemoryStoreTest extends AdvertisementStoreContractTest {

    @Override
    AdvertisementStore create(StoreLimits limits) {
        return AdvertisementStore.inMemory(limits, clock, executor);
    }
}
