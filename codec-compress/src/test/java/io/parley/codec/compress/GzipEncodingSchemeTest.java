package io.parley.codec.compress;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.encoding.EncodingPolicy;
import io.parley.encoding.EncodingScheme;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.ServiceOptions;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.testkit.Eventually;
import io.parley.testkit.encoding.EncodingSchemeContractTest;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.memory.InMemoryNetwork;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the contract suite for the gzip scheme, and tests its format and what it accepts. */
final class GzipEncodingSchemeTest extends EncodingSchemeContractTest {

    private static final String TEXT = "to be, or not to be: that is the question; ".repeat(50);
    private static final byte[] BYTES = TEXT.getBytes(UTF_8);

    private final GzipEncodingScheme gzip = new GzipEncodingScheme();

    @Override
    protected EncodingScheme scheme() {
        return gzip;
    }

    @Override
    protected MessageElement encodable(Random random) {
        StringBuilder text = new StringBuilder("a text of a few words: ".repeat(4));
        for (int words = random.nextInt(500); words > 0; words--) {
            text.append(random.nextInt(20)).append(" words ");
        }
        return MessageElement.ofText("text", text.toString());
    }

    // -- accepted elements

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "application/octet-stream",
                "IMAGE/SVG+XML",
                "image/bmp",
                "application/xml",
            })
    void accepts_typesThatMayBecomeSmaller(String type) {
        assertThat(gzip.accepts(element(type, 64))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"image/png", "Video/mp4;codecs=avc1", "audio/ogg", "application/zip", "application/GZIP;a=b"})
    void accepts_noCompressedTypes(String type) {
        assertThat(gzip.accepts(element(type, 64))).isFalse();
    }

    @Test
    void accepts_noShortElements() {
        assertThat(gzip.accepts(element("text/plain", 63))).isFalse();
    }

    private static MessageElement element(String type, int bytes) {
        return MessageElement.of("", "name", type, Payload.of(new byte[bytes]));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 18, 19, 64, 1000, 100_000})
    void encode_noise_isEmpty(int bytes) {
        byte[] noise = new byte[bytes];
        new Random(bytes).nextBytes(noise);
        assertThat(gzip.encode(MessageElement.of("noise", noise))).isEmpty();
    }

    @Test
    void encode_contentThatBecomesOneByteSmaller_isEncoded() {
        int smallestGain = Integer.MAX_VALUE;
        for (int size = 64; size < 128; size++) {
            for (int noisy = 0; noisy <= size; noisy++) {
                byte[] content = new byte[size];
                byte[] noise = new byte[noisy];
                new Random(1).nextBytes(noise);
                System.arraycopy(noise, 0, content, 0, noisy);
                Payload encoded =
                        gzip.encode(MessageElement.of("content", content)).orElse(null);
                if (encoded != null) {
                    assertThat(encoded.size()).isLessThan(size);
                    smallestGain = Math.min(smallestGain, size - (int) encoded.size());
                }
            }
        }
        assertThat(smallestGain).as("bytes").isEqualTo(1);
    }

    // -- format

    @Test
    void encoded_isAFileOfTheGzipFormat() throws IOException {
        byte[] encoded = encoded();
        assertThat(encoded).hasSizeLessThan(BYTES.length / 10);
        assertThat(new GZIPInputStream(new ByteArrayInputStream(encoded)).readAllBytes())
                .isEqualTo(BYTES);
    }

    @Test
    void decode_aFileOfAnotherProgram_givesItsContent() throws IOException {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(file)) {
            out.write(BYTES);
        }
        assertThat(decode(file.toByteArray(), BYTES.length)).isEqualTo(BYTES);
    }

    @Test
    void maxDecodedBytes_isTheStatedSize() {
        assertThat(gzip.maxDecodedBytes(MessageElement.of("text", encoded()))).isEqualTo(BYTES.length);
        assertThat(gzip.maxDecodedBytes(stating(-1))).isEqualTo((1L << 32) - 1);
        assertThat(gzip.maxDecodedBytes(MessageElement.of("text", new byte[17])))
                .isZero();
    }

    /** Returns a compressed element whose size is stated as that. */
    private MessageElement stating(int size) {
        byte[] encoded = encoded();
        ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN).putInt(encoded.length - Integer.BYTES, size);
        return MessageElement.of("text", encoded);
    }

    @Test
    void encode_contentInParts_andInAFile(@TempDir Path folder) throws IOException {
        Payload parts = Payload.ofParts(
                ByteBuffer.wrap(BYTES, 0, 700),
                ByteBuffer.allocate(0),
                ByteBuffer.allocateDirect(100).put(BYTES, 700, 100).flip(),
                ByteBuffer.wrap(BYTES, 800, BYTES.length - 800));
        assertThat(decode(encoded(MessageElement.of("", "parts", "text/plain", parts)), BYTES.length))
                .isEqualTo(BYTES);
        Path file = Files.write(folder.resolve("file"), BYTES);
        assertThat(decode(encoded(MessageElement.ofFile("file", file)), BYTES.length))
                .isEqualTo(BYTES);
    }

    @Test
    void send_oneSelectedElement_arrivesAsSent() throws InterruptedException {
        Message message = Message.builder()
                .add(MessageElement.ofText("selected", TEXT))
                .add(MessageElement.ofText("other", TEXT))
                .build();
        ServiceAddress service = ServiceAddress.of("service");
        BlockingQueue<Message> received = new LinkedBlockingQueue<>();
        InMemoryNetwork network = new InMemoryNetwork(2);
        try (Endpoint alice = start(network);
                Endpoint bob = start(network)) {
            alice.listen(service, ServiceOptions.DEFAULTS.withDecoding(EncodingScheme.installed()), next -> {
                received.add(next.message());
                next.release();
            });
            bob.addPeerAddress(alice.peerAddress());
            EncodingPolicy policy = EncodingPolicy.of(gzip)
                    .withSelector(element -> element.name().equals("selected"))
                    .withRequiredSchemes();
            Messenger messenger =
                    bob.messenger(alice.peerId(), service, MessengerOptions.DEFAULTS.withEncoding(policy));
            Eventually.get(messenger.send(message), "sending");
            assertThat(received.poll(Eventually.DEADLINE.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(message);
            assertThat(alice.metrics().get(EndpointMetrics.Counter.MESSAGE_BYTES_RECEIVED))
                    .isBetween((long) BYTES.length, BYTES.length * 5L / 4);
        }
    }

    private static Endpoint start(InMemoryNetwork network) {
        return Endpoint.builder()
                .identity(Identity.generate())
                .transport(network.transportProvider())
                .listen(EndpointAddress.parse("mem://any"))
                .start();
    }

    // -- hostile input

    @Test
    void decode_otherHeaders_areMalformed() {
        assertMalformed(with(0, 0x1e), "header");
        assertMalformed(with(1, 0), "header");
        assertMalformed(with(2, 7), "header");
        assertMalformed(with(3, 8), "header"); // the name of a file follows
    }

    @Test
    void decode_otherChecksumOrSize_isMalformed() {
        int length = encoded().length;
        for (int i = length - 8; i < length; i++) {
            assertMalformed(with(i, ~encoded()[i]), "checksum");
        }
    }

    @Test
    void decode_whatFollowsTheFile_isMalformed() {
        byte[] encoded = encoded();
        assertMalformed(Arrays.copyOf(encoded, encoded.length + 1), "9 bytes");
        byte[] two = Arrays.copyOf(encoded, 2 * encoded.length);
        System.arraycopy(encoded, 0, two, encoded.length, encoded.length);
        assertMalformed(two, "behind the compressed data");
    }

    @Test
    void decode_fewBytesOfALargeContent_exceedTheLimit() throws IOException {
        ByteArrayOutputStream bomb = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bomb)) {
            for (int i = 0; i < 100; i++) {
                out.write(new byte[1 << 20]);
            }
        }
        assertThat(bomb.size()).isLessThan(1 << 17);
        assertThatThrownBy(() -> decode(bomb.toByteArray(), 5000))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                .hasMessageContaining("5000");
    }

    private void assertMalformed(byte[] encoded, String fault) {
        assertThatThrownBy(() -> decode(encoded, 1 << 20))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE))
                .hasMessageContaining(fault);
    }

    private byte[] with(int at, int value) {
        byte[] changed = encoded();
        changed[at] = (byte) value;
        return changed;
    }

    private byte[] encoded() {
        return encoded(MessageElement.ofText("text", TEXT));
    }

    private byte[] encoded(MessageElement element) {
        return gzip.encode(element).orElseThrow().toByteArray();
    }

    private byte[] decode(byte[] encoded, long maxBytes) {
        return gzip.decode(MessageElement.of("encoded", encoded), maxBytes).toByteArray();
    }
}
