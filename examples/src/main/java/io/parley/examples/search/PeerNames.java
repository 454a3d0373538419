package io.parley.examples.search;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.examples.console.TextFormatter;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Replaces peer ids by names in texts for users. A name is followed by the first letters of the peer id, because several
 * peers may have the same name. Thread-safe.
 */
public final class PeerNames {

    private final PeerGroup group;

    /** Creates an instance that takes the names from the peer advertisements of a group that are stored locally. */
    public PeerNames(PeerGroup group) {
        this.group = group;
    }

    /** Returns a peer's name and short id, such as {@code anna (x4fqabcd)}; the short id alone if the name is unknown. */
    public String of(PeerId peer) {
        DiscoveryQuery query = DiscoveryQuery.of(PeerAdvertisement.TYPE_NAME)
                .with("PID", AdvertisementId.of(peer).urn());
        return group.discovery().findLocal(query, 1).stream()
                .filter(signed -> signed.publisher().equals(peer))
                .map(signed -> signed.advertisement() instanceof PeerAdvertisement known ? known.name() : null)
                .filter(name -> name != null && !name.isEmpty())
                .findFirst()
                .map(name -> withId(name, peer))
                .orElse(peer.shortText());
    }

    /** Returns the names of several peers, sorted and separated by commas. */
    public String of(Collection<PeerId> peers) {
        return peers.stream().map(this::of).sorted().collect(Collectors.joining(", "));
    }

    /**
     * Returns a name with a short id.
     *
     * @param name the name that the peer has given itself; may be empty
     */
    public static String withId(String name, PeerId peer) {
        String clean = TextFormatter.oneLine(name).strip();
        return clean.isEmpty() ? peer.shortText() : clean + " (" + peer.shortText() + ")";
    }
}
