package io.parley.transport;

import io.parley.id.PeerId;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Who a peer is and where it can be reached. The text form, {@code <peer id>@tcp://host:port,tcp://[::1]:port}, survives
 * copy and paste.
 *
 * @param peer      the peer's id
 * @param addresses at most {@value #MAX_ADDRESSES} addresses, tried in this order; may be empty
 */
public record PeerAddress(PeerId peer, List<EndpointAddress> addresses) {

    /** How many addresses of one peer are kept. */
    public static final int MAX_ADDRESSES = 16;

    /** @throws IllegalArgumentException when there are too many addresses */
    public PeerAddress {
        addresses = List.copyOf(addresses);
        if (addresses.size() > MAX_ADDRESSES) {
            throw new IllegalArgumentException(
                    "addresses: " + addresses.size() + " (expected: at most " + MAX_ADDRESSES + ")");
        }
    }

    /** A peer at the given addresses. */
    public static PeerAddress of(PeerId peer, EndpointAddress... addresses) {
        return new PeerAddress(peer, List.of(addresses));
    }

    /**
     * Reads the text form.
     *
     * @throws IllegalArgumentException naming what is wrong
     */
    public static PeerAddress parse(String text) {
        String stripped = text.strip();
        int at = stripped.indexOf('@');
        if (at < 0) {
            return new PeerAddress(PeerId.parse(stripped), List.of());
        }
        List<EndpointAddress> addresses = Arrays.stream(
                        stripped.substring(at + 1).split(",", MAX_ADDRESSES + 1))
                .map(EndpointAddress::parse)
                .toList();
        return new PeerAddress(PeerId.parse(stripped.substring(0, at)), addresses);
    }

    /** The text form, which {@link #parse} reads. */
    @Override
    public String toString() {
        return addresses.isEmpty()
                ? peer.text()
                : addresses.stream()
                        .map(EndpointAddress::toString)
                        .collect(Collectors.joining(",", peer.text() + "@", ""));
    }
}
