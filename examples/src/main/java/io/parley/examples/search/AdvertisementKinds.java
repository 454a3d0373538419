package io.parley.examples.search;

import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.PeerGroupAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The kinds of advertisements on the command line and in the shell, and their types. */
public final class AdvertisementKinds {

    /** The attribute that most types are indexed by. */
    public static final String NAME = "Name";

    private static final String GROUPS = "groups";
    private static final String ALL = "all";

    private static final Map<String, String> TYPES = Map.of(
            "peers",
            PeerAdvertisement.TYPE_NAME,
            "pipes",
            PipeAdvertisement.TYPE_NAME,
            GROUPS,
            PeerGroupAdvertisement.TYPE_NAME);

    private AdvertisementKinds() {}

    /** Returns the names of all kinds, in the order in which help texts list them. */
    public static List<String> names() {
        return List.of("peers", "pipes", GROUPS, ALL);
    }

    /** Returns whether a kind means groups. Each peer publishes its groups in the net group. */
    public static boolean isGroups(@Nullable String kind) {
        return GROUPS.equals(kind);
    }

    /**
     * Returns the query for a kind.
     *
     * @param kind      the name of a kind or of a type; {@code null} for all types
     * @param attribute the attribute that {@code pattern} applies to
     * @param pattern   the value of the attribute, * matches any characters; {@code null} for any value
     */
    public static DiscoveryQuery query(@Nullable String kind, String attribute, @Nullable String pattern) {
        DiscoveryQuery query = kind == null || kind.equals(ALL)
                ? DiscoveryQuery.any()
                : DiscoveryQuery.of(TYPES.getOrDefault(kind, kind));
        return pattern == null ? query : query.with(attribute, pattern);
    }

    /** Returns the singular name of a type: {@code peer}, {@code pipe}, {@code group}, or the type itself. */
    static String singular(String type) {
        return switch (type) {
            case PeerAdvertisement.TYPE_NAME -> "peer";
            case PipeAdvertisement.TYPE_NAME -> "pipe";
            case PeerGroupAdvertisement.TYPE_NAME -> "group";
            default -> type;
        };
    }
}
