package io.parley.endpoint.internal;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.Unpooled;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.testkit.HostileText;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/**
 * Sends the frames of a fuzzer, each preceded by its length in two bytes, instead of a handshake: to an acceptor, and to a
 * dialer. The connection ends, and all state and memory is released. To run the fuzzer:
 *
 * <pre>JAZZER_FUZZ=1 mvn -pl core -am test -Dtest=HandshakeFuzzTest#acceptor -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@Tag("fuzz")
final class HandshakeFuzzTest {

    private static final int MAX_FRAMES = 16;

    private final EndpointFixture fixture = new EndpointFixture();
    /** The peer of the vectors in {@code docs/wire-format.md}, so that the seeds contain an authenticated peer id. */
    private final Identity identity = Identity.generate(new SecureRandom() {
        private static final long serialVersionUID = 1L;

        @Override
        public void nextBytes(byte[] bytes) {
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) i;
            }
        }
    });

    private final PeerEndpoint endpoint = fixture.start(EndpointLimits.DEFAULTS);
    private final RawAcceptor acceptor = new RawAcceptor(fixture, identity);

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    /** Returns the frames, then an empty one, which is a violation at any time and ends the connection. */
    private static List<byte[]> frames(byte[] input) {
        List<byte[]> frames = new ArrayList<>();
        ByteBuffer rest = ByteBuffer.wrap(input);
        while (rest.remaining() > 2 && frames.size() < MAX_FRAMES) {
            byte[] frame = new byte[Math.min(rest.getShort() & 0xFFFF, rest.remaining())];
            rest.get(frame);
            frames.add(frame);
        }
        frames.add(new byte[0]);
        return frames;
    }

    @FuzzTest(maxDuration = "60s")
    void acceptor(byte[] input) throws InterruptedException {
        RawPeer raw = RawPeer.dial(fixture, endpoint, identity);
        for (byte[] frame : frames(input)) {
            raw.write(writer -> Unpooled.wrappedBuffer(frame));
        }
        raw.expectClosed();
        EndpointFixture.assertNothingLeft(endpoint);
        raw.end();
    }

    @FuzzTest(maxDuration = "60s")
    void dialer(byte[] input) {
        acceptor.respond(frames(input));
        try {
            EndpointFixture.join(endpoint.connect(acceptor.address()));
        } catch (ParleyException e) {
            HostileText.assertPrintable(e);
        }
        EndpointFixture.assertNothingLeft(endpoint);
    }
}
