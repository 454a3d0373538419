package io.parley.discovery.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.advertisement.AdvertisementKey;
import io.parley.identity.Identity;
import io.parley.store.StoreLimits;
import io.parley.store.internal.StoreKey;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class StoreEntryMapperTest {

    private final Identity alice = Identity.generate();

    private StoreKey key(Identity publisher, String key) {
        return StoreEntryMapper.key(new AdvertisementKey(DiscoveryFixture.GROUP, "t", publisher.peerId(), key));
    }

    @Test
    void keys_differ_ifAdvertisementKeysDiffer() {
        String longKey = "k".repeat(129);
        assertThat(key(alice, "k")).isEqualTo(key(alice, "k")).isNotEqualTo(key(alice, "K"));
        assertThat(key(alice, "k")).isNotEqualTo(key(Identity.generate(), "k"));
        assertThat(key(alice, longKey)).isEqualTo(key(alice, longKey)).isNotEqualTo(key(alice, longKey + "k"));
        String hash = key(alice, longKey).name().substring(alice.peerId().text().length());
        assertThat(key(alice, hash)).isNotEqualTo(key(alice, longKey));
        assertThat(key(alice, hash.substring(1))).isNotEqualTo(key(alice, longKey));
    }

    @Test
    void keys_fitTheDefaultLimits() {
        for (int length = 1; length <= 4096; length += 13) {
            assertThat(key(alice, "é".repeat(length)).name().getBytes(StandardCharsets.UTF_8))
                    .hasSizeLessThanOrEqualTo(StoreLimits.DEFAULTS.maxNameBytes());
        }
    }
}
