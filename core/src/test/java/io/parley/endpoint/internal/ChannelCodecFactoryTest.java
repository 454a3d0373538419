package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.assertFails;
import static io.parley.endpoint.internal.EndpointFixture.bytes;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.exchangeAddresses;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.link;
import static io.parley.endpoint.internal.EndpointFixture.sendWhenWritable;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.codec.internal.BinaryMessageCodec;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.link.Link;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.codec.SequenceCodec;
import io.parley.transport.EndpointMetrics.Counter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The selection of codecs, and the order of messages for stateful codecs. */
class ChannelCodecFactoryTest {

    private static final MessageCodec BINARY = new BinaryMessageCodec();
    private static final MessageCodec RED = new SequenceCodec("red");
    private static final MessageCodec BLUE = new SequenceCodec("blue");

    private final EndpointFixture fixture = new EndpointFixture();
    private final AtomicInteger received = new AtomicInteger();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    private PeerEndpoint start(MessageCodec... codecs) {
        return fixture.start(EndpointLimits.DEFAULTS, codecs);
    }

    private void listen(PeerEndpoint endpoint, ServiceAddress service) {
        endpoint.listen(service, message -> {
            received.incrementAndGet();
            message.release();
        });
    }

    @Test
    void connection_usesTheCodecThatTheDialerPrefers() {
        PeerEndpoint alice = start(RED, BLUE, BINARY);
        PeerEndpoint bob = start(BINARY, BLUE, RED);
        exchangeAddresses(alice, bob);
        listen(alice, SERVICE);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        assertThat(messenger.codec()).isEmpty();
        join(messenger.send(text("hello")));
        assertThat(messenger.codec()).contains("binary");
        assertThat(link(alice, bob).context().codecs().agreed().name()).isEqualTo("binary");
        messenger.close();
    }

    @Test
    void connection_withoutCommonCodec_isRejected_withBothLists() {
        PeerEndpoint alice = start(RED);
        PeerEndpoint bob = start(BLUE, BINARY);
        exchangeAddresses(alice, bob);
        assertFails(bob.connect(alice.peerId()), ErrorCode.NO_COMMON_CODEC, "[red]", "[blue, binary]");
        assertFails(alice.connect(bob.peerId()), ErrorCode.NO_COMMON_CODEC, "[red]", "[blue, binary]");
    }

    @Test
    void channel_inAnotherCodecThanTheConnection_eitherWay() {
        PeerEndpoint alice = start(BINARY, RED, BLUE);
        PeerEndpoint bob = start(BINARY, BLUE);
        exchangeAddresses(alice, bob);
        listen(alice, SERVICE);
        listen(bob, SERVICE);
        PeerMessenger toAlice =
                bob.messenger(alice.peerId(), SERVICE, MessengerOptions.DEFAULTS.withCodecs(List.of("blue")));
        PeerMessenger toBob =
                alice.messenger(bob.peerId(), SERVICE, MessengerOptions.DEFAULTS.withCodecs(List.of("red", "blue")));
        PeerMessenger plain = alice.messenger(bob.peerId(), SERVICE);
        for (PeerMessenger messenger : List.of(toAlice, toBob, plain)) {
            join(messenger.send(text("hello")));
        }
        assertThat(toAlice.codec()).contains("blue");
        assertThat(toBob.codec()).contains("blue");
        assertThat(plain.codec()).contains("binary");
        until("the messages", () -> received.get() == 3);
        assertThat(count(alice, Counter.CONNECTIONS_OPENED)).isEqualTo(1);
        List.of(toAlice, toBob, plain).forEach(PeerMessenger::close);
    }

    @Test
    void channel_inACodecThatTheRemotePeerLacks_fails_andTheConnectionStaysOpen() {
        PeerEndpoint alice = start(BINARY);
        PeerEndpoint bob = start(BINARY, RED, BLUE);
        exchangeAddresses(alice, bob);
        listen(alice, SERVICE);
        PeerMessenger messenger =
                bob.messenger(alice.peerId(), SERVICE, MessengerOptions.DEFAULTS.withCodecs(List.of("red", "blue")));
        assertFails(messenger.send(text("hello")), ErrorCode.NO_COMMON_CODEC, "[red, blue]", "[binary]");
        assertFails(
                messenger.resolve(), ErrorCode.NO_COMMON_CODEC, alice.peerId().toString());
        messenger.close();
        join(bob.send(alice.peerId(), SERVICE, text("hello")));
        assertThat(count(bob, Counter.CONNECTIONS_OPENED)).isEqualTo(1);
    }

    @Test
    void messenger_inACodecThatThisPeerLacks_isRefusedImmediately() {
        PeerEndpoint alice = start(BINARY);
        assertThatThrownBy(() -> alice.messenger(
                        alice.peerId(), SERVICE, MessengerOptions.DEFAULTS.withCodecs(List.of("binary", "red"))))
                .isInstanceOf(ParleyException.class)
                .hasMessageContaining("[red]")
                .hasMessageContaining("[binary]");
    }

    @Test
    void statefulCodec_manyThreadsAndChannels_ofAllSizes_keepsEachChannelsOrder() {
        PeerEndpoint alice = start(RED);
        PeerEndpoint bob = start(RED);
        exchangeAddresses(alice, bob);
        int[] sizes = {0, 10, 200_000, 5000, 131_072, 131_073, 1, 900_000, 70_000};
        int rounds = 20;
        List<PeerMessenger> messengers = new ArrayList<>();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int channel = 0; channel < 3; channel++) {
            ServiceAddress service = ServiceAddress.of("service-" + channel);
            listen(alice, service);
            PeerMessenger messenger = bob.messenger(alice.peerId(), service);
            messengers.add(messenger);
            for (int thread = 0; thread < 2; thread++) {
                threads.add(CompletableFuture.runAsync(() -> {
                    for (int i = 0; i < rounds * sizes.length; i++) {
                        sendWhenWritable(messenger, bytes(sizes[i % sizes.length]));
                    }
                }));
            }
        }
        threads.forEach(EndpointFixture::join);
        until("all messages", () -> received.get() == 6 * rounds * sizes.length);
        assertThat(count(alice, Counter.CONNECTIONS_DROPPED)).isZero();
        messengers.forEach(PeerMessenger::close);
    }

    @Test
    void statefulCodec_afterMessagesThatCannotBeEncoded_keepsItsState() {
        EndpointLimits narrow =
                EndpointLimits.DEFAULTS.toBuilder().maxMessageBytes(100_000).build();
        PeerEndpoint alice = fixture.start(narrow, RED);
        PeerEndpoint bob = start(RED);
        exchangeAddresses(alice, bob);
        listen(alice, SERVICE);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        Message notEncodable = Message.of(MessageElement.ofText("a\uD800", "unpaired"));
        for (int i = 0; i < 10; i++) {
            join(messenger.send(text("fine")));
            assertFails(messenger.send(notEncodable), ErrorCode.NOT_ENCODABLE);
            assertFails(messenger.send(bytes(100_001)), ErrorCode.MESSAGE_TOO_LARGE, "100000");
            assertFails(messenger.send(bytes(99_990)), ErrorCode.MESSAGE_TOO_LARGE, "100000");
        }
        until("the valid messages", () -> received.get() == 10);
        messenger.close();
    }

    @Test
    void statefulCodec_onTheNextLink_startsWithANewState() {
        PeerEndpoint alice = start(RED);
        PeerEndpoint bob = start(RED);
        exchangeAddresses(alice, bob);
        listen(alice, SERVICE);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        for (int i = 1; i <= 3; i++) {
            join(messenger.send(text("before")));
            int soFar = 2 * i - 1;
            until("the message", () -> received.get() == soFar);
            Link lost = link(bob, alice);
            lost.abort(null);
            join(lost.whenClosed());
            join(messenger.send(text("after")));
            until("the message", () -> received.get() == soFar + 1);
        }
        messenger.close();
    }

    @Test
    void statefulCodec_memoryIsReservedWhileTheChannelIsOpen() {
        PeerEndpoint alice = start(RED);
        PeerEndpoint bob = start(RED);
        exchangeAddresses(alice, bob);
        listen(alice, SERVICE);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        join(messenger.resolve());
        assertThat(alice.reservedBytes()).isEqualTo(EndpointLimits.MIN_WINDOW_BYTES + RED.maxStateBytes());
        messenger.close();
        until("the memory to be released", () -> alice.reservedBytes() == 0);
    }

    @Test
    void messageThatExpandsWhenDecoded_isChargedWithItsDecodedSize_andRefusedWithoutMemory() {
        int size = 1 << 20;
        EndpointLimits narrow = EndpointLimits.DEFAULTS.toBuilder()
                .windowBytes(EndpointLimits.MIN_WINDOW_BYTES)
                .peerMemoryBytes(EndpointLimits.MIN_WINDOW_BYTES + 2L * size)
                .build();
        PeerEndpoint alice = fixture.start(narrow, new TestCodec("more", bytes(size)));
        PeerEndpoint bob = start(new TestCodec("more", bytes(size)));
        exchangeAddresses(alice, bob);
        List<ReceivedMessage> held = new CopyOnWriteArrayList<>();
        alice.listen(SERVICE, held::add);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        join(messenger.send(text("1")));
        join(messenger.send(text("2")));
        until("two messages", () -> held.size() == 2);
        assertThat(alice.reservedBytes()).isGreaterThan(EndpointLimits.MIN_WINDOW_BYTES + 2L * size - 1000);
        messenger.send(text("3"));
        until("the refusal", () -> !link(alice, bob).hasInboundChannels());
        assertThat(held).hasSize(2);
        held.forEach(ReceivedMessage::release);
        messenger.closeAsync();
        until("the memory to be released", () -> alice.reservedBytes() <= EndpointLimits.MIN_WINDOW_BYTES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"exception", "error"})
    void codecWithoutSession_failsOnlyTheChannel(String name) {
        PeerEndpoint alice = start(BINARY, new TestCodec(name, null));
        PeerEndpoint bob = start(BINARY, new TestCodec(name, null));
        exchangeAddresses(alice, bob);
        listen(alice, SERVICE);
        PeerMessenger messenger =
                bob.messenger(alice.peerId(), SERVICE, MessengerOptions.DEFAULTS.withCodecs(List.of(name)));
        assertFails(messenger.send(text("hello")), ErrorCode.NO_COMMON_CODEC, name);
        messenger.close();
        join(bob.send(alice.peerId(), SERVICE, text("hello")));
        assertThat(count(bob, Counter.CONNECTIONS_OPENED)).isEqualTo(1);
    }

    @Test
    void loopback_supportsEveryCodecOfThePeer() {
        PeerEndpoint alice = start(BINARY, RED);
        listen(alice, SERVICE);
        PeerMessenger messenger =
                alice.messenger(alice.peerId(), SERVICE, MessengerOptions.DEFAULTS.withCodecs(List.of("red")));
        join(messenger.send(text("to myself")));
        assertThat(messenger.codec()).contains("red");
        until("the message", () -> received.get() == 1);
        messenger.close();
    }

    /** Encodes in the binary format and always decodes the same message. Without a message it cannot create a session. */
    private record TestCodec(String name, @Nullable Message message) implements MessageCodec {

        @Override
        public String contentType() {
            return "application/x-test";
        }

        @Override
        public int maxStateBytes() {
            return 0;
        }

        @Override
        public CodecSession newSession(MessageLimits limits) {
            if (message == null && name.equals("error")) {
                throw new NoClassDefFoundError("on purpose");
            }
            if (message == null) {
                throw new IllegalStateException("on purpose");
            }
            CodecSession binary = new BinaryMessageCodec().newSession(limits);
            return new CodecSession() {
                @Override
                public ByteBuf encode(Message sent, int headroom, ByteBufAllocator allocator) {
                    return binary.encode(sent, headroom, allocator);
                }

                @Override
                public Message decode(ByteBuf encoded) {
                    return message;
                }

                @Override
                public long encodedSize(Message sent) {
                    return binary.encodedSize(sent);
                }
            };
        }
    }
}
