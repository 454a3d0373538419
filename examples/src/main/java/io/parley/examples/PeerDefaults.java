package io.parley.examples;

import io.parley.PeerBuilder;
import io.parley.endpoint.EndpointLimits;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What peers of this program have in common. */
final class PeerDefaults {

    private PeerDefaults() {}

    static Path orDefault(@Nullable Path home) {
        return home == null ? Path.of(System.getProperty("user.home"), ".parley") : home;
    }

    /** A chat may be silent for days; that the other side is still alive the keep-alive tells. */
    static PeerBuilder patient(PeerBuilder builder) {
        return builder.limits(EndpointLimits.DEFAULTS.toBuilder()
                .idleTimeout(Duration.ofDays(30))
                .build());
    }
}
