package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.bench.netty.IdleStrategy;
import io.parley.codec.MessageCodec;
import io.parley.endpoint.EndpointLimits;
import io.parley.transport.TransportSecurity;

/**
 * The variant of Parley that a contender measures.
 *
 * @param scheme the scheme of the address on which the server listens
 * @param relayed whether the server is reached through a relay, which runs in its process on event loops of its own
 * @param codec the only codec
 * @param idle the behavior of event loops without work
 */
record ParleyOptions(
        MeasuredLayer layer,
        TransportSecurity security,
        String scheme,
        boolean relayed,
        String codec,
        IdleStrategy idle) {

    /** The default limits, because applications should not have to change them to be fast. */
    private static final EndpointLimits LIMITS = EndpointLimits.DEFAULTS;

    static ParleyOptions plainText(MeasuredLayer layer) {
        return of(layer, TransportSecurity.PLAINTEXT);
    }

    static ParleyOptions tls(MeasuredLayer layer) {
        return of(layer, TransportSecurity.TLS);
    }

    private static ParleyOptions of(MeasuredLayer layer, TransportSecurity security) {
        return new ParleyOptions(
                layer, security, "tcp", false, MessageCodec.binary().name(), IdleStrategy.SPIN);
    }

    ParleyOptions withCodec(String newCodec) {
        return new ParleyOptions(layer, security, scheme, relayed, newCodec, idle);
    }

    /** Returns the same over connections as WebSocket. */
    ParleyOptions overHttp() {
        return new ParleyOptions(layer, security, "http", relayed, codec, idle);
    }

    /** Returns the same through a relay. */
    ParleyOptions throughRelay() {
        return new ParleyOptions(layer, security, scheme, true, codec, idle);
    }

    ParleyOptions withoutSpin() {
        return new ParleyOptions(layer, security, scheme, relayed, codec, IdleStrategy.SLEEP);
    }

    /** Returns the address for the server: a port of loopback that the kernel selects. */
    String serverAddress() {
        return scheme + "://127.0.0.1:0";
    }

    /** Returns the builder of a peer with these options. */
    PeerBuilder peer() {
        PeerBuilder builder =
                Peer.builder().multicast(false).security(security).codecs(codec).limits(LIMITS);
        return idle == IdleStrategy.SLEEP ? builder.preferEconomy() : builder.preferLatency();
    }
}
