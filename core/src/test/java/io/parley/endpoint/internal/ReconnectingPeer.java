package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;

import io.parley.common.internal.WireStatus;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.link.Link;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * A remote peer that acknowledges messages and connects to an endpoint again and again in one run. The test writes each frame. It uses
 * the channel with the handle 1.
 */
final class ReconnectingPeer {

    static final OptionalLong NONE = OptionalLong.empty();

    /** The window of a channel that the peer opens. */
    static final long WINDOW = 1 << 20;

    /** Limits of an endpoint that does not wait long for acknowledgements that the test never sends. */
    static final EndpointLimits LIMITS = EndpointLimits.DEFAULTS.toBuilder()
            .closeTimeout(Duration.ofMillis(100))
            .build();

    private static final long RUN = 7;

    final Identity identity = Identity.generate();
    private final EndpointFixture fixture;
    private int connections;

    ReconnectingPeer(EndpointFixture fixture) {
        this.fixture = fixture;
    }

    PeerId peerId() {
        return identity.peerId();
    }

    RawPeer connect(PeerEndpoint endpoint) throws InterruptedException {
        return connect(endpoint, NONE);
    }

    /** Connects, and states that the last connection is lost. */
    RawPeer replace(PeerEndpoint endpoint) throws InterruptedException {
        return connect(endpoint, OptionalLong.of(connections));
    }

    private RawPeer connect(PeerEndpoint endpoint, OptionalLong lost) throws InterruptedException {
        RawPeer raw = RawPeer.connectAcknowledging(fixture, endpoint, identity, RUN, ++connections, lost);
        until("the link", () -> endpoint.isConnected(identity.peerId()));
        return raw;
    }

    /** Connects as a peer that has started again. */
    RawPeer connectLaterRun(PeerEndpoint endpoint) throws InterruptedException {
        return RawPeer.connectAcknowledging(fixture, endpoint, identity, RUN + 1, ++connections, NONE);
    }

    /** Returns after the messengers have left the lost link. */
    static void lose(PeerEndpoint endpoint, RawPeer raw) {
        Association association = Objects.requireNonNull(endpoint.association(raw.identity.peerId()));
        Link link = Objects.requireNonNull(association.activeLink());
        raw.connection.abort(null);
        join(link.whenClosed());
        until("the loss", () -> endpoint.connectedPeers().isEmpty());
    }

    /** Ends the connection with a failure. Returns after the messengers have left it. */
    static void drop(PeerEndpoint endpoint, RawPeer raw) {
        Link link = Objects.requireNonNull(Objects.requireNonNull(endpoint.association(raw.identity.peerId()))
                .activeLink());
        raw.write(frames -> frames.goodbye(WireStatus.of(ErrorCode.PROTOCOL_VIOLATION, "no")));
        raw.connection.close();
        join(link.whenClosed());
    }

    /** Returns after all frames that the endpoint has written so far have arrived, and the responses to them. */
    static void pass(PeerEndpoint endpoint, RawPeer raw) throws InterruptedException {
        CompletableFuture<Duration> ping = endpoint.ping(raw.identity.peerId());
        String number = raw.expect("PING").substring("PING ".length());
        raw.write(frames -> frames.pong(Long.parseLong(number)));
        join(ping);
    }

    static void open(RawPeer raw, OptionalLong received) throws InterruptedException {
        raw.expect("OPEN 1");
        raw.write(frames -> frames.opened(1, WINDOW, received));
    }

    static void ack(RawPeer raw, long count) {
        raw.write(frames -> frames.ack(1, count, 0));
    }

    /** Sends the first message of a messenger. Returns after the remote peer has opened the channel and has got the message. */
    static CompletableFuture<Void> sendFirst(PeerMessenger messenger, RawPeer raw) throws InterruptedException {
        CompletableFuture<Void> sent = messenger.send(text("1"));
        open(raw, NONE);
        raw.expect("MESSAGE");
        return sent;
    }
}
