package io.parley.transport;

import io.parley.id.PeerId;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The id of a peer and its addresses. The text form is {@code <peer id>@tcp://host:port,tcp://[::1]:port}.
 *
 * @param peer      the id of the peer
 * @param addresses at most {@value #MAX_ADDRESSES} addresses; may be empty. They are dialed in this order: the next one when the one
 *     before has failed, or has not led to a connection within 250 ms. The first connection is used
 */
public record PeerAddress(PeerId peer, List<EndpointAddress> addresses) {

    /** The maximum number of addresses of one peer. */
    public static final int MAX_ADDRESSES = 16;

    /** @throws IllegalArgumentException if there are too many addresses */
    public PeerAddress {
        addresses = List.copyOf(addresses);
        if (addresses.size() > MAX_ADDRESSES) {
            throw new IllegalArgumentException(
                    "addresses: " + addresses.size() + " (expected: <= " + MAX_ADDRESSES + ")");
        }
    }

    /** Returns the address of a peer with these addresses. */
    public static PeerAddress of(PeerId peer, EndpointAddress... addresses) {
        return new PeerAddress(peer, List.of(addresses));
    }

    /**
     * Parses the text form.
     *
     * @throws IllegalArgumentException naming the invalid part
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

    /** Returns the text form, which {@link #parse} reads. */
    @Override
    public String toString() {
        return addresses.isEmpty()
                ? peer.text()
                : addresses.stream()
                        .map(EndpointAddress::toString)
                        .collect(Collectors.joining(",", peer.text() + "@", ""));
    }
}
