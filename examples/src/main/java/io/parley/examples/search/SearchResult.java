package io.parley.examples.search;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementAttribute;
import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.PeerGroupAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.RdvAdvertisement;
import io.parley.advertisement.RouteAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.TextFormatter;
import io.parley.id.Id;
import io.parley.id.PeerId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A search result as it is printed. The texts contain no control characters.
 *
 * @param kind          {@code peer}, {@code pipe}, {@code group}, or the name of another type
 * @param name          the name; empty if there is none
 * @param id            the id in the form that commands accept
 * @param publisher     the peer that has signed the advertisement
 * @param publisherName the name and short id of the publisher; the short id alone if the name is unknown
 * @param addresses     the addresses in the advertisement
 * @param age           the time since the advertisement was signed, by the clocks of both peers; not negative
 */
public record SearchResult(
        String kind,
        String name,
        String id,
        PeerId publisher,
        String publisherName,
        List<String> addresses,
        Duration age) {

    private static final String PEER = "peer";

    /** Returns the result for a signed advertisement. */
    public static SearchResult of(SignedAdvertisement signed, PeerNames names, Instant now) {
        Advertisement advertisement = signed.advertisement();
        return new SearchResult(
                TextFormatter.oneLine(AdvertisementKinds.singular(advertisement.type())),
                TextFormatter.oneLine(name(advertisement)),
                TextFormatter.oneLine(id(advertisement)),
                signed.publisher(),
                names.of(signed.publisher()),
                addresses(advertisement).stream().map(TextFormatter::oneLine).toList(),
                age(signed.issuedAt(), now));
    }

    /** Returns whether the advertisement describes a peer. */
    public boolean isPeer() {
        return kind.equals(PEER);
    }

    private static Duration age(Instant issuedAt, Instant now) {
        Duration age = Duration.between(issuedAt, now);
        return age.isNegative() ? Duration.ZERO : age;
    }

    private static String name(Advertisement advertisement) {
        return advertisement.attributes().stream()
                .filter(attribute -> attribute.name().equals(AdvertisementKinds.NAME))
                .map(AdvertisementAttribute::value)
                .findFirst()
                .orElse("");
    }

    private static String id(Advertisement advertisement) {
        if (advertisement instanceof PeerAdvertisement peer) {
            return text(peer.peerId());
        }
        if (advertisement instanceof PipeAdvertisement pipe) {
            return text(pipe.id());
        }
        if (advertisement instanceof PeerGroupAdvertisement group) {
            return text(group.groupId());
        }
        return advertisement.key();
    }

    /** Returns the Parley form of a Parley id, otherwise the URN that JXTA uses. */
    private static String text(AdvertisementId id) {
        return Stream.<Optional<? extends Id>>of(id.peerId(), id.pipeId(), id.groupId())
                .flatMap(Optional::stream)
                .map(Id::text)
                .findFirst()
                .orElse(id.urn());
    }

    private static List<String> addresses(Advertisement advertisement) {
        if (advertisement instanceof PeerAdvertisement peer) {
            return peer.route().map(RouteAdvertisement::addresses).orElse(List.of());
        }
        if (advertisement instanceof RdvAdvertisement rendezvous) {
            RouteAdvertisement route = rendezvous.route();
            return route == null ? List.of() : route.addresses();
        }
        return advertisement instanceof RouteAdvertisement route ? route.addresses() : List.of();
    }

    /** Returns the result as a JSON object. */
    public JsonObject toJson() {
        return JsonObject.object()
                .add("kind", kind)
                .add("name", name)
                .add("id", id)
                .add("publisher", publisher.text())
                .add("addresses", String.join(",", addresses))
                .add("age_s", age.toSeconds());
    }

    /** Returns the result in one line. */
    @Override
    public String toString() {
        return kind + " " + (name.isEmpty() ? "(unnamed)" : name) + "  " + id
                + (addresses.isEmpty() ? "" : "  at " + String.join(", ", addresses))
                + (id.equals(publisher.text()) ? "" : "  of " + publisherName)
                + "  published " + TextFormatter.age(age) + " ago";
    }
}
