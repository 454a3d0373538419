package io.parley.advertisement;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A peer's addresses, as a part of a route ({@code jxta:APA}).
 *
 * @param peerId whose they are; {@code null} where the route already says it
 * @param addresses such as {@code tcp://192.0.2.1:9701}, the best first. They are texts of a stranger; what can't be used
 *     is to be skipped
 */
public record AccessPoint(@Nullable AdvertisementId peerId, List<String> addresses) {
    private static final String NAME = "jxta:APA";

    /** Takes a copy of the addresses. Fails with IllegalArgumentException when one is empty. */
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

    /** The access points inside an element; none when it is {@code null}. */
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
