package io.parley.advertisement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class AdvertisementLimitsTest {
    private static final AdvertisementLimits DEFAULTS = AdvertisementLimits.DEFAULTS;

    @Test
    void defaults_allowWhatJxtaSharesByDefault() {
        assertThat(DEFAULTS.maxExpiration())
                .isGreaterThanOrEqualTo(Duration.ofHours(2))
                .isEqualTo(Duration.ofDays(14));
        assertThat(DEFAULTS.maxLifetime()).isGreaterThanOrEqualTo(AdvertisementSigner.DEFAULT_LIFETIME);
    }

    @Test
    void eachValue_outOfItsRange_isRefusedByName() {
        assertRefused("maxDocumentBytes", () -> DEFAULTS.withMaxDocumentBytes(0));
        assertRefused("maxElements", () -> DEFAULTS.withMaxElements(0));
        assertRefused("maxDepth", () -> DEFAULTS.withMaxDepth(257));
        assertRefused("maxAttributes", () -> DEFAULTS.withMaxAttributes(-1));
        assertRefused("maxIndexed", () -> DEFAULTS.withMaxIndexed(-1));
        assertRefused("maxIndexedChars", () -> DEFAULTS.withMaxIndexedChars(0));
        assertRefused("maxLifetime", () -> DEFAULTS.withMaxLifetime(Duration.ZERO));
        assertRefused("maxExpiration", () -> DEFAULTS.withMaxExpiration(Duration.ofDays(3651)));
        assertRefused("maxClockSkew", () -> DEFAULTS.withMaxClockSkew(Duration.ofMillis(-1)));
    }

    @Test
    void eachValue_isChangedAlone() {
        Duration day = Duration.ofDays(1);
        assertThat(DEFAULTS.withMaxDocumentBytes(1)
                        .withMaxElements(2)
                        .withMaxDepth(3)
                        .withMaxAttributes(4)
                        .withMaxIndexed(5)
                        .withMaxIndexedChars(6)
                        .withMaxLifetime(day)
                        .withMaxExpiration(day.dividedBy(2))
                        .withMaxClockSkew(day.dividedBy(3)))
                .isEqualTo(new AdvertisementLimits(1, 2, 3, 4, 5, 6, day, day.dividedBy(2), day.dividedBy(3)));
    }

    private static void assertRefused(String field, Runnable change) {
        assertThatIllegalArgumentException().isThrownBy(change::run).withMessageStartingWith(field + ": ");
    }
}
