package io.parley.endpoint.internal.frame;

import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * What a peer says of itself when a connection opens: the dialer in HELLO, the other side in ACCEPT.
 *
 * @param peer            who it is; has to be the id that the transport has proven, where it proves one
 * @param instance        a number chosen at random when the peer started, so that a restart can be told from a reconnect
 * @param connection      the connection's number, chosen at random by the dialer
 * @param lost            the connection that the dialer knows to be gone, which this one replaces
 * @param codecs          names of the message codecs it has: the dialer's in order of preference; in ACCEPT the one
 *                        chosen for the connection comes first
 * @param maxMessageBytes the largest encoded message it takes
 * @param addresses       where it listens
 */
public record Hello(
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

    private static final int MAX_CODECS = 32;

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

    static Hello of(TaggedFields fields) {
        return new Hello(
                PeerId.ofBytes(fields.requiredBytes(PEER, "peer")),
                fields.requiredNumber(INSTANCE, "instance"),
                fields.requiredNumber(CONNECTION, "connection"),
                fields.number(LOST).map(OptionalLong::of).orElse(OptionalLong.empty()),
                fields.texts(CODEC).stream().limit(MAX_CODECS).toList(),
                fields.requiredNumber(MAX_MESSAGE_BYTES, "max message bytes"),
                fields.texts(ADDRESS).stream()
                        .limit(PeerAddress.MAX_ADDRESSES)
                        .flatMap(Hello::understood)
                        .toList());
    }

    /** An address of a form that a later version has made up is no reason to refuse the peer. */
    private static Stream<EndpointAddress> understood(String address) {
        try {
            return Stream.of(EndpointAddress.parse(address));
        } catch (IllegalArgumentException e) {
            return Stream.empty();
        }
    }
}
