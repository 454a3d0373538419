package io.parley.examples;

import io.parley.PeerBuilder;
import io.parley.endpoint.EndpointLimits;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Settings that all peers of this program share. */
final class PeerDefaults {

    /** Part of the help of each option that names a peer. */
    static final String NAME_HELP = "Default: the login name and the first letters of the peer id, such as anna-x4fq";

    private static final int ID_CHARS = 4;

    private PeerDefaults() {}

    /** Returns {@code home}, or {@code ~/.parley} if it is {@code null}. */
    static Path homeOrDefault(@Nullable Path home) {
        return home == null ? Path.of(System.getProperty("user.home"), ".parley") : home;
    }

    /** Returns the identity that is stored in a home directory, or a new one without a home directory. */
    static Identity identity(@Nullable Path home) {
        return home == null ? Identity.generate() : Identity.loadOrCreate(home);
    }

    /** Returns {@code name}, or the default name of the peer if it is {@code null}. */
    static String nameOrDefault(@Nullable String name, PeerId peer) {
        return name == null
                ? System.getProperty("user.name", "peer") + "-" + peer.text().substring(0, ID_CHARS)
                : name;
    }

    /** Raises the idle timeout, because a chat may be silent for days. Keep-alives detect a peer that has failed. */
    static PeerBuilder withLongIdleTimeout(PeerBuilder builder, Duration reconnectTimeout) {
        return builder.limits(EndpointLimits.DEFAULTS.toBuilder()
                .idleTimeout(Duration.ofDays(30))
                .reconnectTimeout(reconnectTimeout)
                .build());
    }
}
