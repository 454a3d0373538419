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
 * @param codec the only codec
 * @param idle the behavior of event loops without work
 */
record ParleyOptions(MeasuredLayer layer, TransportSecurity security, String codec, IdleStrategy idle) {

    /** The default limits, because applications should not have to change them to be fast. */
    private static final EndpointLimits LIMITS = EndpointLimits.DEFAULTS;

    static ParleyOptions plainText(MeasuredLayer layer) {
        return of(layer, TransportSecurity.PLAINTEXT);
    }

    static ParleyOptions tls(MeasuredLayer layer) {
        return of(layer, TransportSecurity.TLS);
    }

    private static ParleyOptions of(MeasuredLayer layer, TransportSecurity security) {
        return new ParleyOptions(layer, security, MessageCodec.binary().name(), IdleStrategy.SPIN);
    }

    ParleyOptions withCodec(String newCodec) {
        return new ParleyOptions(layer, security, newCodec, idle);
    }

    ParleyOptions withoutSpin() {
        return new ParleyOptions(layer, security, codec, IdleStrategy.SLEEP);
    }

    /** Returns the builder of a peer with these options. */
    PeerBuilder peer() {
        PeerBuilder builder =
                Peer.builder().multicast(false).security(security).codecs(codec).limits(LIMITS);
        return idle == IdleStrategy.SLEEP ? builder.preferEconomy() : builder.preferLatency();
    }
}
