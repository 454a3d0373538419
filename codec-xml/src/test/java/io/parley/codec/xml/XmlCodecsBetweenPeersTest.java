package io.parley.codec.xml;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointBuilder;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.SharedMessage;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import io.parley.testkit.TestSeed;
import io.parley.testkit.codec.MessageGenerator;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.memory.InMemoryNetwork;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the codecs on the class path between endpoints: negotiation, and the handling of malformed messages. */
class XmlCodecsBetweenPeersTest {

    private static final Duration TIMEOUT = Eventually.DEADLINE;
    private static final ServiceAddress SERVICE = ServiceAddress.of("service");

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Endpoint> peers = new ArrayList<>();
    private final BlockingQueue<Message> received = new LinkedBlockingQueue<>();

    @AfterEach
    void closePeers() {
        peers.forEach(Endpoint::close);
    }

    private Endpoint start(String... codecs) {
        return start(builder().codecs(List.of(codecs)));
    }

    private EndpointBuilder builder() {
        return Endpoint.builder().identity(Identity.generate()).transport(network.transportProvider());
    }

    private Endpoint start(EndpointBuilder builder) {
        Endpoint peer = builder.listen(EndpointAddress.parse("mem://any")).start();
        peers.add(peer);
        peer.listen(SERVICE, message -> {
            received.add(message.message());
            message.release();
        });
        return peer;
    }

    private static Messenger messenger(Endpoint from, Endpoint to) {
        from.addPeerAddress(to.peerAddress());
        return from.messenger(to.peerId(), SERVICE);
    }

    private Message next() throws InterruptedException {
        Message next = received.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        assertThat(next).as("a message").isNotNull();
        return next;
    }

    @ParameterizedTest
    @ValueSource(strings = {"xml", "fastinfoset"})
    void sharedMessages_betweenOthersOfTheChannel_areDeliveredEqually(String codec) throws Exception {
        Endpoint alice = start(codec);
        Endpoint bob = start(codec);
        try (Messenger messenger = messenger(bob, alice)) {
            MessageGenerator messages =
                    new MessageGenerator(TestSeed.next("XmlCodecsBetweenPeersTest, shared, " + codec), false);
            for (int i = 0; i < 200; i++) {
                Message message = messages.next(12);
                if (i % 5 < 3) {
                    messenger.send(message, TIMEOUT);
                } else {
                    assertThat(messenger.offer(SharedMessage.of(message))).isTrue();
                }
                assertThat(next()).as("message %d", i).isEqualTo(message);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "xml, xml, xml",
        "fastinfoset, fastinfoset, fastinfoset",
        "'xml,fastinfoset', 'fastinfoset,xml', xml",
        "'fastinfoset,binary', 'xml,binary', binary"
    })
    void peers_severalCodecs_selectOneAndDeliverEqualMessages(String ofDialer, String ofAcceptor, String selected)
            throws Exception {
        Endpoint alice = start(ofAcceptor.split(","));
        Endpoint bob = start(ofDialer.split(","));
        try (Messenger forward = messenger(bob, alice);
                Messenger backward = messenger(alice, bob)) {
            MessageGenerator messages =
                    new MessageGenerator(TestSeed.next("XmlCodecsBetweenPeersTest, " + selected), false);
            for (int i = 0; i < 200; i++) {
                Message message = messages.next(12);
                forward.send(message, TIMEOUT);
                assertThat(next()).as("message %d", i).isEqualTo(message);
                backward.send(message, TIMEOUT);
                assertThat(next()).as("message %d, backward", i).isEqualTo(message);
            }
            assertThat(forward.codec()).contains(selected);
            assertThat(backward.codec()).contains(selected);
        }
    }

    static Stream<Arguments> malformedMessages() {
        String element = "<Element name='a' mime_type='text/plain'>";
        return Stream.of(
                Arguments.of(
                        "xml",
                        "external entity",
                        text("<!DOCTYPE Message [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>" + "<Message version='0'>"
                                + element + "&x;</Element></Message>")),
                Arguments.of(
                        "xml",
                        "entity bomb",
                        text("<!DOCTYPE Message [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>]>"
                                + "<Message version='0'>" + element + "&b;</Element></Message>")),
                Arguments.of("xml", "deep nesting", text("<Message version='0'>" + "<a>".repeat(100_000))),
                Arguments.of("xml", "huge name", text("<Message version='0'><" + "a".repeat(1_000_000))),
                Arguments.of("xml", "truncated", text("<Message version='0'>" + element + "text")),
                Arguments.of("xml", "not XML", text("hello")),
                Arguments.of("fastinfoset", "truncated", hex("e0000001003c06")),
                Arguments.of("fastinfoset", "length beyond the end", hex("e0000001003f7fffffff4d")),
                Arguments.of("fastinfoset", "continuation without a document", hex("00800100")),
                Arguments.of("fastinfoset", "index into an empty table", hex("e0000001003d8500f0")),
                Arguments.of("fastinfoset", "not Fast Infoset", hex("ffffffffffffffff")));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] hex(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("malformedMessages")
    void malformedMessage_endsOnlyItsConnection(String codec, String description, byte[] bytes) throws Exception {
        Endpoint alice = start(codec);
        Endpoint carol = start(codec);
        Endpoint mallory =
                start(builder().codec(new FixedBytesCodec(codec, bytes)).codecs(List.of(codec)));
        try (Messenger honest = messenger(carol, alice);
                Messenger malicious = messenger(mallory, alice)) {
            honest.send(Message.of("n", "before"));
            assertThat(next().text("n")).contains("before");
            malicious.send(Message.of("n", "anything"));
            Awaitility.await("dropped connection of the malicious peer")
                    .atMost(TIMEOUT)
                    .until(() -> alice.metrics().get(Counter.CONNECTIONS_DROPPED) == 1);
            honest.send(Message.of("n", "after"));
            assertThat(next().text("n")).contains("after");
            assertThat(carol.metrics().get(Counter.CONNECTIONS_OPENED)).isOne();
        }
    }

    @Test
    void newNamesInEachMessage_keepTheConnection() throws Exception {
        Endpoint alice = start("fastinfoset");
        Endpoint bob = start("fastinfoset");
        try (Messenger messenger = messenger(bob, alice)) {
            for (int i = 0; i < 5000; i++) {
                Message message = Message.of("name-" + i, "value-" + i);
                messenger.send(message, TIMEOUT);
                messenger.send(message, TIMEOUT);
                assertThat(next()).isEqualTo(message);
                assertThat(next()).isEqualTo(message);
            }
            assertThat(bob.metrics().get(Counter.CONNECTIONS_OPENED)).isOne();
        }
    }

    /** They are decoded on another thread than the event loop, as is the small message between them. */
    @ParameterizedTest
    @ValueSource(strings = {"xml", "fastinfoset"})
    void largeMessages_arriveInOrder(String codec) throws Exception {
        Endpoint alice = start(codec);
        Endpoint bob = start(codec);
        Message.Builder builder = Message.builder();
        for (int i = 0; i < 3000; i++) {
            builder.add("name-" + i % 50, ("text " + i + " <&> ").repeat(100));
        }
        List<Message> messages = List.of(
                Message.of("n", "first"),
                builder.build(),
                Message.of("n", "small"),
                builder.build(),
                Message.of("n", "last"));
        try (Messenger messenger = messenger(bob, alice)) {
            for (Message message : messages) {
                messenger.send(message, TIMEOUT);
            }
            for (Message message : messages) {
                assertThat(next().equals(message))
                        .as("message of %d bytes", message.payloadBytes())
                        .isTrue();
            }
            assertThat(bob.metrics().get(Counter.CONNECTIONS_OPENED)).isOne();
        }
    }

    /** A codec that encodes each message as the same bytes. */
    private record FixedBytesCodec(String name, byte[] bytes) implements MessageCodec {

        @Override
        public String contentType() {
            return "application/x-fixed";
        }

        @Override
        public int maxStateBytes() {
            return 0;
        }

        @Override
        public CodecSession newSession(MessageLimits limits) {
            return new CodecSession() {
                @Override
                public ByteBuf encode(Message message, int headroom, ByteBufAllocator allocator) {
                    return allocator.buffer(bytes.length).writeBytes(bytes);
                }

                @Override
                public Message decode(ByteBuf encoded) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public long encodedSize(Message message) {
                    return bytes.length;
                }
            };
        }
    }
}
