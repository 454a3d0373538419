package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.SOON;
import static io.parley.endpoint.internal.EndpointFixture.exchangeAddresses;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.parley.endpoint.ChannelListener;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceOptions;
import io.parley.endpoint.internal.frame.Open;
import io.parley.message.Message;
import io.parley.transport.EndpointMetrics.Counter;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Large messages that are borrowed until their release, and those that are copied instead. */
class BorrowingListenerTest {

    private static final int LARGE = 66_000;

    private final EndpointFixture fixture = new EndpointFixture();
    private final PeerEndpoint bob = fixture.start();
    private final BlockingQueue<ReceivedMessage> received = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        fixture.close(); // asserts that all memory is released
    }

    private PeerEndpoint listen(EndpointLimits limits) {
        PeerEndpoint alice = fixture.start(limits);
        exchangeAddresses(alice, bob);
        ChannelListener listener = new ChannelListener() {
            @Override
            public void onMessage(ReceivedMessage message) {
                received.add(message);
            }

            @Override
            public boolean isBorrowing() {
                return true;
            }
        };
        alice.listenToChannels(SERVICE, ServiceOptions.DEFAULTS, sender -> listener);
        return alice;
    }

    private ReceivedMessage next() throws InterruptedException {
        ReceivedMessage next = received.poll(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private static byte[] content(ReceivedMessage received) {
        return received.message().bytes("data").orElseThrow();
    }

    private static boolean isBorrowed(ReceivedMessage received) {
        return received.message().elements().get(0).payload().isBorrowed();
    }

    @Test
    void largeMessage_isBorrowedUntilItsRelease_alsoAfterTheEndOfTheConnection() throws InterruptedException {
        PeerEndpoint alice = listen(EndpointLimits.DEFAULTS);
        join(bob.send(alice.peerId(), SERVICE, Message.of("data", random(LARGE))));
        ReceivedMessage message = next();
        assertThat(isBorrowed(message)).isTrue();
        assertThat(alice.reservedBytes()).isGreaterThan(4 * LARGE);
        join(bob.closeAsync());
        until("the end of the connection", () -> alice.connectedPeers().isEmpty());
        assertThat(content(message)).isEqualTo(random(LARGE));
        message.release();
        message.release();
        assertThat(catchThrowable(() -> content(message))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void smallMessage_isCopied() throws InterruptedException {
        PeerEndpoint alice = listen(EndpointLimits.DEFAULTS);
        join(bob.send(alice.peerId(), SERVICE, Message.of("data", random(60_000))));
        ReceivedMessage message = next();
        assertThat(isBorrowed(message)).isFalse();
        message.release();
        assertThat(content(message)).isEqualTo(random(60_000));
    }

    @Test
    void withLittleMemory_largeMessageIsCopied() throws InterruptedException {
        PeerEndpoint alice = listen(EndpointLimits.DEFAULTS.toBuilder()
                .windowBytes(128 * 1024)
                .peerMemoryBytes(512 * 1024)
                .build());
        join(bob.send(alice.peerId(), SERVICE, Message.of("data", random(LARGE))));
        ReceivedMessage message = next();
        assertThat(isBorrowed(message)).isFalse();
        message.release();
        assertThat(content(message)).isEqualTo(random(LARGE));
    }

    @Test
    void messageInManyBuffers_isCopied() throws InterruptedException {
        RawPeer raw = RawPeer.connect(fixture, listen(EndpointLimits.DEFAULTS));
        raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
        raw.expect("OPENED 1");
        raw.write(frames -> frames.message(1, parts(raw, 7))); // and that of the header
        raw.write(frames -> frames.message(1, parts(raw, 8)));
        ReceivedMessage few = next();
        ReceivedMessage many = next();
        assertThat(List.of(isBorrowed(few), isBorrowed(many))).containsExactly(true, false);
        assertThat(content(few)).isEqualTo(random(LARGE));
        assertThat(content(many)).isEqualTo(random(LARGE));
        few.release();
        many.release();
        raw.end();
    }

    /** Returns an encoded message that is in that many buffers with the header of its frame. */
    private static ByteBuf parts(RawPeer raw, int count) {
        ByteBuf whole = raw.encode(Message.of("data", random(LARGE)));
        CompositeByteBuf parts = whole.alloc().compositeDirectBuffer(Integer.MAX_VALUE);
        int size = whole.readableBytes() / count;
        for (int i = 1; i <= count; i++) {
            int length = i < count ? size : whole.readableBytes();
            parts.addComponent(true, whole.alloc().directBuffer(length).writeBytes(whole, length));
        }
        whole.release();
        return parts;
    }

    @Test
    void malformedMessage_dropsTheConnection_andLeaksNothing() throws InterruptedException {
        PeerEndpoint alice = listen(EndpointLimits.DEFAULTS);
        RawPeer raw = RawPeer.connect(fixture, alice);
        raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
        raw.expect("OPENED 1");
        raw.write(frames ->
                frames.message(1, raw.connection.allocator().directBuffer().writeZero(LARGE)));
        raw.expectClosed();
        until("the memory to be released", () -> alice.reservedBytes() == 0);
        assertThat(EndpointFixture.count(alice, Counter.CONNECTIONS_DROPPED)).isEqualTo(1);
    }
}
