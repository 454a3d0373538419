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
import io.parley.identity.Identity;
import io.parley.message.Message;
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

/** The codecs found on the class path, between peers: who agrees on what, and what becomes of a peer that sends rubbish. */
class XmlCodecsBetweenPeersTest {

    private static final Duration SOON = Duration.ofSeconds(20);
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
        Message next = received.poll(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(next).as("a message").isNotNull();
        return next;
    }

    @ParameterizedTest
    @CsvSource({
        "xml, xml, xml",
        "fastinfoset, fastinfoset, fastinfoset",
        "'xml,fastinfoset', 'fastinfoset,xml', xml",
        "'fastinfoset,binary', 'xml,binary', binary"
    })
    void peers_agree_andEveryMessageArrivesAsItWas(String ofDialer, String ofOther, String agreed) throws Exception {
        Endpoint alice = start(ofOther.split(","));
        Endpoint bob = start(ofDialer.split(","));
        try (Messenger there = messenger(bob, alice);
                Messenger back = messenger(alice, bob)) {
            MessageGenerator messages = new MessageGenerator(agreed.hashCode(), false);
            for (int i = 0; i < 200; i++) {
                Message message = messages.next(12);
                there.send(message, SOON);
                assertThat(next()).as("message %d", i).isEqualTo(message);
                back.send(message, SOON);
                assertThat(next()).as("message %d, back", i).isEqualTo(message);
            }
            assertThat(there.codec()).contains(agreed);
            assertThat(back.codec()).contains(agreed);
        }
    }

    static Stream<Arguments> rubbish() {
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
                Arguments.of("xml", "cut short", text("<Message version='0'>" + element + "text")),
                Arguments.of("xml", "no XML", text("hello")),
                Arguments.of("fastinfoset", "cut short", hex("e0000001003c06")),
                Arguments.of("fastinfoset", "length beyond the end", hex("e0000001003f7fffffff4d")),
                Arguments.of("fastinfoset", "a continuation of nothing", hex("00800100")),
                Arguments.of("fastinfoset", "an index into nothing", hex("e0000001003d8500f0")),
                Arguments.of("fastinfoset", "no Fast Infoset", hex("ffffffffffffffff")));
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] hex(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("rubbish")
    void rubbish_endsThatConnectionAlone(String codec, String what, byte[] bytes) throws Exception {
        Endpoint alice = start(codec);
        Endpoint carol = start(codec);
        Endpoint mallory = start(builder().codec(new Liar(codec, bytes)).codecs(List.of(codec)));
        try (Messenger friend = messenger(carol, alice);
                Messenger foe = messenger(mallory, alice)) {
            friend.send(Message.of("n", "before"));
            assertThat(next().text("n")).contains("before");
            foe.send(Message.of("n", "anything"));
            Awaitility.await("the liar to be dropped")
                    .atMost(SOON)
                    .until(() -> alice.metrics().get(Counter.CONNECTIONS_DROPPED) == 1);
            friend.send(Message.of("n", "after"));
            assertThat(next().text("n")).contains("after");
            assertThat(carol.metrics().get(Counter.CONNECTIONS_OPENED)).isOne();
        }
    }

    @Test
    void everNewNames_ofAnHonestPeer_neverBreakTheConnection() throws Exception {
        Endpoint alice = start("fastinfoset");
        Endpoint bob = start("fastinfoset");
        try (Messenger messenger = messenger(bob, alice)) {
            for (int i = 0; i < 5000; i++) {
                Message message = Message.of("name-" + i, "value-" + i);
                messenger.send(message, SOON);
                messenger.send(message, SOON);
                assertThat(next()).isEqualTo(message);
                assertThat(next()).isEqualTo(message);
            }
            assertThat(bob.metrics().get(Counter.CONNECTIONS_OPENED)).isOne();
        }
    }

    /** Calls itself a codec, and sends the same bytes whatever the message is. */
    private record Liar(String name, byte[] bytes) implements MessageCodec {

        @Override
        public String contentType() {
            return "application/x-lie";
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
