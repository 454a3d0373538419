package io.parley.examples.search;

import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.PeerGroupAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The words that people use for the types of advertisements. */
public final class AdvertisementKinds {

    /** The attribute that most types can be found by. */
    public static final String NAME = "Name";

    private static final Map<String, String> TYPES = Map.of(
            "peers", PeerAdvertisement.TYPE_NAME,
            "pipes", PipeAdvertisement.TYPE_NAME,
            "groups", PeerGroupAdvertisement.TYPE_NAME);

    private AdvertisementKinds() {}

    /** All words, as they are to be shown. */
    public static List<String> words() {
        return List.of("peers", "pipes", "groups");
    }

    /**
     * What somebody looks for.
     *
     * @param what      one of the words, the name of a type, or null for everything
     * @param attribute the attribute that has to match
     * @param pattern   its value, with stars for anything; null when it does not matter
     */
    public static DiscoveryQuery query(@Nullable String what, String attribute, @Nullable String pattern) {
        DiscoveryQuery query = what == null ? DiscoveryQuery.any() : DiscoveryQuery.of(TYPES.getOrDefault(what, what));
        return pattern == null ? query : query.with(attribute, pattern);
    }

    /** What one of that type is called. */
    static String singular(String type) {
        return switch (type) {
            case PeerAdvertisement.TYPE_NAME -> "peer";
            case PipeAdvertisement.TYPE_NAME -> "pipe";
            case PeerGroupAdvertisement.TYPE_NAME -> "group";
            default -> type;
        };
    }
}
