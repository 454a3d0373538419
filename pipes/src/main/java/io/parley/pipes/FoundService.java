package io.parley.pipes;

import io.parley.advertisement.ModuleSpecAdvertisement;
import io.parley.id.PeerId;
import java.util.List;

/**
 * A service that {@link ServiceDirectory} has found.
 *
 * @param spec       its specification. The texts are those of another peer, which may have chosen them to deceive
 * @param publishers the authenticated peers that have published exactly this specification, at least one. They offer the service, unless
 *     they have published what they do not do
 */
public record FoundService(ModuleSpecAdvertisement spec, List<PeerId> publishers) {

    /** Copies the list. */
    public FoundService {
        publishers = List.copyOf(publishers);
    }
}
