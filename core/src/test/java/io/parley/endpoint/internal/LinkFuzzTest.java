package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.netty.handler.ssl.SslProvider;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.internal.frame.Open;
import io.parley.identity.Identity;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.TransportSecurity;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/**
 * Sends the frames of a fuzzer on an open link. The link may be dropped because of a fault of the peer, and all memory is
 * released. To run the fuzzer:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl core -am test -Dtest=LinkFuzzTest -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@Tag("fuzz")
final class LinkFuzzTest {

    private final EndpointFixture fixture = new EndpointFixture();
    private final Identity identity = Identity.generate();
    private final PeerEndpoint endpoint = fixture.start(EndpointLimits.DEFAULTS.toBuilder()
            .windowBytes(EndpointLimits.MIN_WINDOW_BYTES)
            .build());

    /** It has TLS for secure channels. */
    private final PeerEndpoint plaintext = fixture.startSecure(
            Identity.generate(),
            EndpointLimits.DEFAULTS,
            TransportSecurity.PLAINTEXT,
            SslProvider.OPENSSL_REFCNT,
            UnaryOperator.identity());

    LinkFuzzTest() {
        endpoint.listen(SERVICE, ReceivedMessage::release);
    }

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    @FuzzTest(maxDuration = "60s")
    void frames(FuzzedDataProvider data) throws InterruptedException {
        long dropped = endpoint.metrics().get(Counter.CONNECTIONS_DROPPED);
        long closed = endpoint.metrics().get(Counter.CONNECTIONS_CLOSED);
        RawPeer raw = RawPeer.connect(fixture, endpoint, identity);
        raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
        boolean goodbyeSent = false;
        while (data.remainingBytes() > 0) {
            byte[] frame = data.consumeBytes(data.consumeInt(0, 64));
            goodbyeSent |= frame.length > 0 && frame[0] == 4;
            raw.write(frames -> Unpooled.wrappedBuffer(frame));
        }
        raw.write(frames -> frames.ping(1));
        boolean alive = raw.expect("PONG 1", "CLOSED").startsWith("PONG");
        raw.connection.abort(null);
        EndpointFixture.until("the link to end", () -> endpoint.metrics().get(Counter.CONNECTIONS_CLOSED) > closed);
        EndpointFixture.assertNothingReserved(endpoint);
        assertThat(endpoint.associationCount())
                .isLessThanOrEqualTo(1); // it is kept for channels that the peer may resume
        raw.end();
        if (!alive && !goodbyeSent && endpoint.metrics().get(Counter.CONNECTIONS_DROPPED) == dropped) {
            throw new AssertionError("the link was closed, but not because of a fault of the peer");
        }
    }

    /** Sends SEALED frames on a link that is not authenticated, instead of the records of a TLS handshake. */
    @FuzzTest(maxDuration = "60s")
    void records(FuzzedDataProvider data) throws InterruptedException {
        RawPeer raw = RawPeer.connectPlaintext(fixture, plaintext, identity);
        while (data.remainingBytes() > 0) {
            byte[] records = data.consumeBytes(data.consumeInt(0, 64));
            raw.write(frames -> frames.sealed(records.length).writeBytes(records));
        }
        raw.write(frames -> frames.ping(1));
        raw.expect("PONG 1", "CLOSED");
        raw.connection.abort(null);
        EndpointFixture.assertNothingReserved(plaintext);
        assertThat(plaintext.associationCount()).isLessThanOrEqualTo(1);
        raw.end();
    }
}
