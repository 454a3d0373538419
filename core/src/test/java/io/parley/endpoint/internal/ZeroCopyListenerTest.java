package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.SOON;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.exchangeAddresses;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.sendWhenWritable;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ServiceOptions;
import io.parley.endpoint.internal.frame.Open;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.transport.EndpointMetrics.Counter;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that are borrowed by the listener of a service, in one fragment and in many. */
class ZeroCopyListenerTest {

    private static final int WINDOW = 128 * 1024;
    private static final EndpointLimits SMALL = EndpointLimits.DEFAULTS.toBuilder()
            .windowBytes(WINDOW)
            .queueBytes(WINDOW)
            .build();

    private final EndpointFixture fixture = new EndpointFixture();
    private final PeerEndpoint alice = fixture.start(SMALL);
    private final PeerEndpoint bob = fixture.start(SMALL);

    ZeroCopyListenerTest() {
        exchangeAddresses(alice, bob);
    }

    @AfterEach
    void close() {
        fixture.close(); // asserts that all memory is released
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private static byte[] content(Message message) {
        return message.bytes("data").orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 60_000, 131_000, 131_072, 400_000, 5_000_000})
    void message_ofAnySize_isBorrowedUnchanged_andInvalidAfterwards(int size) throws InterruptedException {
        BlockingQueue<byte[]> copies = new LinkedBlockingQueue<>();
        AtomicReference<Message> kept = new AtomicReference<>();
        alice.listen(SERVICE, ServiceOptions.DEFAULTS.withZeroCopy(), received -> {
            kept.set(received.message());
            copies.add(content(received.message()));
        });
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        for (int i = 0; i < 3; i++) {
            sendWhenWritable(messenger, Message.of("data", random(size)));
            assertThat(copies.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(random(size));
        }
        messenger.close();
        join(alice.closeAsync()); // after which the listener has returned
        if (size > 0) {
            assertThat(kept.get().elements().get(0).payload().isBorrowed()).isTrue();
            assertThat(catchThrowable(() -> content(kept.get())))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("toByteArray");
        }
    }

    @Test
    void largeMessage_consistsOfTheReceivedFragments() throws InterruptedException {
        BlockingQueue<Integer> parts = new LinkedBlockingQueue<>();
        alice.listen(SERVICE, ServiceOptions.DEFAULTS.withZeroCopy(), received -> {
            List<ByteBuffer> views =
                    received.message().elements().get(0).payload().asByteBuffers();
            ByteBuffer joined = ByteBuffer.allocate(1_000_000);
            views.forEach(joined::put);
            parts.add(joined.flip().equals(ByteBuffer.wrap(random(1_000_000))) ? views.size() : -1);
        });
        join(bob.messenger(alice.peerId(), SERVICE).send(Message.of("data", random(1_000_000))));
        assertThat(parts.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isBetween(8, 9);
    }

    @Test
    void fragmentsTooSmallToBeRetained_areCopiedToAnArray() throws InterruptedException {
        BlockingQueue<byte[]> copies = new LinkedBlockingQueue<>();
        alice.listen(
                SERVICE, ServiceOptions.DEFAULTS.withZeroCopy(), received -> copies.add(content(received.message())));
        RawPeer raw = RawPeer.connect(fixture, alice);
        raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
        raw.expect("OPENED 1");
        Message message = Message.of("data", random(100_000));
        for (int size : new int[] {1, 999, 65_535}) {
            ByteBuf encoded = raw.encode(message);
            ByteBuf first = raw.frames.first(1, encoded.readableBytes(), encoded, 30_000);
            raw.write(frames -> first);
            for (int sent = 0; sent < 10 && encoded.readableBytes() > size; sent++) {
                ByteBuf more = raw.frames.more(1, encoded, size);
                raw.write(frames -> more);
            }
            ByteBuf last = raw.frames.more(1, encoded, encoded.readableBytes());
            encoded.release();
            raw.write(frames -> last);
            assertThat(copies.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(random(100_000));
        }
        raw.end();
    }

    @ParameterizedTest
    @ValueSource(ints = {1000, 400_000})
    void listenerThatThrows_releasesWindowAndMemory(int size) {
        alice.listen(SERVICE, ServiceOptions.DEFAULTS.withZeroCopy(), received -> {
            throw new IllegalArgumentException("on purpose");
        });
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        int messages = 10 * WINDOW / size + 10;
        for (int i = 0; i < messages; i++) {
            join(sendWhenWritable(messenger, Message.of("data", random(size))));
        }
        until("all messages to arrive", () -> count(alice, Counter.LISTENER_FAILURES) == messages);
        assertThat(count(alice, Counter.CONNECTIONS_DROPPED)).isZero();
        messenger.close();
    }

    @Test
    void slowListener_stopsItsSender() throws InterruptedException {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        alice.listen(SERVICE, ServiceOptions.DEFAULTS.withZeroCopy(), received -> {
            entered.countDown();
            try {
                leave.await(SOON.toSeconds(), TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        messenger.send(Message.of("data", random(30_000)));
        assertThat(entered.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        long accepted = 0;
        CompletableFuture<Void> last = messenger.send(Message.of("data", random(30_000)));
        while (!last.isCompletedExceptionally()) {
            accepted += 30_000;
            last = messenger.send(Message.of("data", random(30_000)));
        }
        EndpointFixture.assertFails(last, ErrorCode.QUEUE_FULL);
        assertThat(accepted).isLessThan(2 * WINDOW + 3 * 30_000);
        leave.countDown();
        until("room", messenger::isWritable);
        messenger.close();
    }

    @Test
    void connectionThatEndsWithinAMessage_leaksNothing() throws InterruptedException {
        alice.listen(SERVICE, ServiceOptions.DEFAULTS.withZeroCopy(), received -> {});
        RawPeer raw = RawPeer.connect(fixture, alice);
        raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
        raw.expect("OPENED 1");
        ByteBuf encoded = raw.encode(Message.of("data", random(400_000)));
        long total = encoded.readableBytes();
        ByteBuf first = raw.frames.first(1, total, encoded, 131_072);
        ByteBuf more = raw.frames.more(1, encoded, 131_072);
        encoded.release();
        raw.write(frames -> first);
        raw.write(frames -> more);
        raw.write(frames -> frames.ping(3));
        raw.expect("PONG 3");
        raw.end();
        until("the memory to be released", () -> alice.reservedBytes() == 0);
    }

    @Test
    void malformedFragmentedMessage_dropsTheConnection_andLeaksNothing() throws InterruptedException {
        alice.listen(SERVICE, ServiceOptions.DEFAULTS.withZeroCopy(), received -> {});
        RawPeer raw = RawPeer.connect(fixture, alice);
        raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
        raw.expect("OPENED 1");
        raw.write(frames -> frames.first(1, 200_000, Unpooled.wrappedBuffer(random(100_000)), 100_000));
        raw.write(frames -> frames.more(1, Unpooled.wrappedBuffer(random(100_000)), 100_000));
        raw.expectClosed();
        until("the memory to be released", () -> alice.reservedBytes() == 0);
    }

    @Test
    void listenerThatClosesTheService_mayContinueToRead() throws InterruptedException {
        BlockingQueue<byte[]> copies = new LinkedBlockingQueue<>();
        AtomicReference<AutoCloseable> service = new AtomicReference<>();
        service.set(alice.listen(SERVICE, ServiceOptions.DEFAULTS.withZeroCopy(), received -> {
            try {
                service.get().close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            received.release();
            copies.add(content(received.message()));
        }));
        bob.messenger(alice.peerId(), SERVICE).send(Message.of("data", random(400_000)));
        assertThat(copies.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(random(400_000));
    }

    @Test
    void contentInDirectMemory_arrives_borrowedOrNot() throws InterruptedException {
        BlockingQueue<byte[]> copies = new LinkedBlockingQueue<>();
        alice.listen(
                SERVICE, ServiceOptions.DEFAULTS.withZeroCopy(), received -> copies.add(content(received.message())));
        bob.listen(SERVICE, received -> {
            assertThat(received.message().elements())
                    .noneMatch(element -> element.payload().isBorrowed());
            received.release();
            copies.add(content(received.message()));
        });
        for (int size : new int[] {100, 60_000, 400_000}) {
            ByteBuffer direct =
                    ByteBuffer.allocateDirect(size).put(random(size)).flip();
            Message message = Message.of(MessageElement.of("data", direct));
            assertThat(message.elements().get(0).payload()).isEqualTo(Payload.of(random(size)));
            bob.send(alice.peerId(), SERVICE, message);
            assertThat(copies.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(random(size));
            alice.send(bob.peerId(), SERVICE, message);
            assertThat(copies.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(random(size));
        }
    }
}
