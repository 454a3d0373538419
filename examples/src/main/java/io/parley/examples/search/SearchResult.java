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
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Something that was found, as people see it; nothing in it moves a terminal's cursor.
 *
 * @param kind      such as {@code peer}, or the name of its type
 * @param name      empty when it has none
 * @param id        in the form that commands take
 * @param publisher who says so
 * @param addresses where it can be reached, as far as it says
 */
public record SearchResult(String kind, String name, String id, PeerId publisher, List<String> addresses) {

    /** What a signed advertisement tells. */
    public static SearchResult of(SignedAdvertisement signed) {
        Advertisement advertisement = signed.advertisement();
        return new SearchResult(
                TextFormatter.oneLine(AdvertisementKinds.singular(advertisement.type())),
                TextFormatter.oneLine(name(advertisement)),
                TextFormatter.oneLine(id(advertisement)),
                signed.publisher(),
                addresses(advertisement).stream().map(TextFormatter::oneLine).toList());
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

    /** In our own form where it is one of ours, else as JXTA writes it. */
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

    /** For programs. */
    public JsonObject toJson() {
        return JsonObject.object()
                .add("kind", kind)
                .add("name", name)
                .add("id", id)
                .add("publisher", publisher.text())
                .add("addresses", String.join(",", addresses));
    }

    /** For people, in one line. */
    @Override
    public String toString() {
        String line = kind + " " + (name.isEmpty() ? "without a name" : name) + "  " + id;
        String where = addresses.isEmpty() ? "" : "  at " + String.join(", ", addresses);
        return line + where + (id.equals(publisher.text()) ? "" : "  of peer " + publisher.text());
    }
}
