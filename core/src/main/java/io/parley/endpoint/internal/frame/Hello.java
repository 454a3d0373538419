package io.parley.endpoint.internal.frame;

import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The description of a peer in the handshake: the dialer sends it in HELLO, the acceptor in ACCEPT.
 *
 * @param minor           the minor version of the protocol that the peer supports
 * @param peer            the peer id; must equal the authenticated id if the transport authenticates
 * @param instance        a random number of this run of the peer, which distinguishes a restart from a reconnect
 * @param connection      the random number of the connection, chosen by the dialer
 * @param lost            the connection that the dialer has lost and that this one replaces
 * @param codecs          names of the message codecs of the peer: in HELLO in the dialer's order of preference; in ACCEPT
 *                        the codec of the connection comes first
 * @param maxMessageBytes the largest encoded message that the peer accepts, in bytes
 * @param addresses       the addresses on which the peer listens
 */
public record Hello(
        int minor,
        PeerId peer,
        long instance,
        long connection,
        OptionalLong lost,
        List<String> codecs,
        long maxMessageBytes,
        List<EndpointAddress> addresses) {

    static final int PEER = 1;
    static final int INSTANCE = 2;
    static final int CONNECTION = 3;
    static final int LOST = 4;
    static final int CODEC = 5;
    static final int MAX_MESSAGE_BYTES = 6;
    static final int ADDRESS = 7;

    /** The minor version of this peer. */
    public static final int MINOR = 2;

    /** The first minor version in which messages are acknowledged and channels are resumed. */
    private static final int ACKNOWLEDGED_MINOR = 1;

    /** The first minor version with secure channels. */
    private static final int SECURE_MINOR = 2;

    private static final int MAX_CODECS = 32;

    /** Returns whether the peer acknowledges messages and resumes channels. */
    public boolean isAcknowledging() {
        return minor >= ACKNOWLEDGED_MINOR;
    }

    /** Returns whether the peer has secure channels. */
    public boolean hasSecureChannels() {
        return minor >= SECURE_MINOR;
    }

    TaggedFields toFields() {
        TaggedFields fields = new TaggedFields()
                .bytes(PEER, peer.toByteArray())
                .number(INSTANCE, instance)
                .number(CONNECTION, connection)
                .number(MAX_MESSAGE_BYTES, maxMessageBytes);
        lost.ifPresent(number -> fields.number(LOST, number));
        codecs.forEach(codec -> fields.text(CODEC, codec));
        addresses.stream()
                .limit(PeerAddress.MAX_ADDRESSES)
                .forEach(address -> fields.text(ADDRESS, address.toString()));
        return fields;
    }

    static Hello of(int minor, TaggedFields fields) {
        return new Hello(
                minor,
                PeerId.ofBytes(fields.requiredBytes(PEER, "peer")),
                fields.requiredNumber(INSTANCE, "instance"),
                fields.requiredNumber(CONNECTION, "connection"),
                fields.optionalNumber(LOST),
                fields.texts(CODEC).stream().limit(MAX_CODECS).toList(),
                fields.requiredNumber(MAX_MESSAGE_BYTES, "max message bytes"),
                fields.texts(ADDRESS).stream()
                        .limit(PeerAddress.MAX_ADDRESSES)
                        .flatMap(Hello::parseAddress)
                        .toList());
    }

    /** Skips an address that this version cannot parse, because a later version may have added its form. */
    private static Stream<EndpointAddress> parseAddress(String address) {
        try {
            return Stream.of(EndpointAddress.parse(address));
        } catch (IllegalArgumentException e) {
            return Stream.empty();
        }
    }
}
