package io.parley.advertisement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.parley.advertisement.internal.AdvertisementSigner;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class AdvertisementLimitsTest {
    private static final AdvertisementLimits DEFAULTS = AdvertisementLimits.DEFAULTS;

    @Test
    void defaults_allowJxtasDefaultExpiration() {
        assertThat(DEFAULTS.maxExpiration())
                .isGreaterThanOrEqualTo(Duration.ofHours(2))
                .isEqualTo(Duration.ofDays(14));
        assertThat(DEFAULTS.maxLifetime()).isGreaterThanOrEqualTo(AdvertisementSigner.DEFAULT_LIFETIME);
    }

    @Test
    void eachValue_outOfItsRange_isRejectedByName() {
        assertRejected(
                "maxDocumentBytes",
                () -> DEFAULTS.toBuilder().maxDocumentBytes(0).build());
        assertRejected("maxElements", () -> DEFAULTS.toBuilder().maxElements(0).build());
        assertRejected("maxDepth", () -> DEFAULTS.toBuilder().maxDepth(257).build());
        assertRejected(
                "maxAttributes", () -> DEFAULTS.toBuilder().maxAttributes(-1).build());
        assertRejected("maxIndexed", () -> DEFAULTS.toBuilder().maxIndexed(-1).build());
        assertRejected(
                "maxIndexedChars", () -> DEFAULTS.toBuilder().maxIndexedChars(0).build());
        assertRejected(
                "maxLifetime",
                () -> DEFAULTS.toBuilder().maxLifetime(Duration.ZERO).build());
        assertRejected(
                "maxExpiration",
                () -> DEFAULTS.toBuilder().maxExpiration(Duration.ofDays(3651)).build());
        assertRejected(
                "maxClockSkew",
                () -> DEFAULTS.toBuilder().maxClockSkew(Duration.ofMillis(-1)).build());
    }

    @Test
    void eachValue_isChangedAlone() {
        Duration day = Duration.ofDays(1);
        assertThat(DEFAULTS.toBuilder()
                        .maxDocumentBytes(1)
                        .maxElements(2)
                        .maxDepth(3)
                        .maxAttributes(4)
                        .maxIndexed(5)
                        .maxIndexedChars(6)
                        .maxLifetime(day)
                        .maxExpiration(day.dividedBy(2))
                        .maxClockSkew(day.dividedBy(3))
                        .build())
                .isEqualTo(new AdvertisementLimits(1, 2, 3, 4, 5, 6, day, day.dividedBy(2), day.dividedBy(3)));
    }

    private static void assertRejected(String field, Runnable change) {
        assertThatIllegalArgumentException().isThrownBy(change::run).withMessageStartingWith(field + ": ");
    }
}
