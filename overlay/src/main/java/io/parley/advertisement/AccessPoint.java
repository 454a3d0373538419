package io.parley.advertisement;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of a peer, as a part of a route ({@code jxta:APA}).
 *
 * @param peerId the peer; {@code null} if the route names the peer already
 * @param addresses such as {@code tcp://192.0.2.1:9701}, the best first. They are untrusted text; a reader must skip unusable
 *     addresses
 */
public record AccessPoint(@Nullable AdvertisementId peerId, List<String> addresses) {
    private static final String NAME = "jxta:APA";

    /** Copies the addresses. Fails with IllegalArgumentException if an address is empty. */
    public AccessPoint {
        addresses = addresses.stream()
                .map(address -> TextFields.required("address", address))
                .toList();
    }

    static AccessPoint read(XmlElement element) {
        return new AccessPoint(
                element.idOf("PID"),
                element.children("EA").stream()
                        .map(XmlElement::text)
                        .filter(address -> !address.isEmpty())
                        .toList());
    }

    /** Returns the access points inside an element; none if it is {@code null}. */
    static List<AccessPoint> readAll(@Nullable XmlElement around) {
        return around == null
                ? List.of()
                : around.children(NAME).stream().map(AccessPoint::read).toList();
    }

    XmlElement document() {
        XmlElement.Builder element = XmlElement.builder(NAME).add("PID", peerId);
        addresses.forEach(address -> element.add("EA", address));
        return element.build();
    }
}
