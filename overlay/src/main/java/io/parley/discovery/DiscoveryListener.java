package io.parley.discovery;

import io.parley.advertisement.SignedAdvertisement;

/** Hears of advertisements. */
@FunctionalInterface
public interface DiscoveryListener {

    /** An advertisement whose signature was verified. Called on the executor of the discovery, one at a time. */
    void onAdvertisement(SignedAdvertisement found);
}
