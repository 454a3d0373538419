package io.parley.endpoint.internal.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.codec.MessageLimits;
import io.parley.codec.internal.BinaryMessageCodec;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.transport.EndpointAddress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The seed corpora of {@link FrameReaderFuzzTest} (one frame of each type, and frames that are cut) and of {@code LinkFuzzTest}
 * (conversations on an open link, and content of SEALED frames). They must be what the frame writer of the endpoint produces. {@link
 * #main} writes them.
 */
final class FrameSeedCorpusTest {

    private static final FrameWriter FRAMES = new FrameWriter(ByteBufAllocator.DEFAULT);
    private static final PeerId PEER = PeerId.ofBytes(new byte[PeerId.BYTES]);
    private static final ServiceAddress SERVICE = new ServiceAddress("service", "parameter");

    /** The begin of a TLS handshake: a record with a ClientHello without content. */
    private static final byte[] TLS_RECORD = {0x16, 0x03, 0x01, 0, 4, 1, 0, 0, 0};

    /** Returns one frame of each type by its name. */
    static Map<String, byte[]> frames() {
        Hello hello = new Hello(
                0,
                PEER,
                7,
                0x1122334455667788L,
                OptionalLong.of(9),
                List.of("binary", "xml"),
                64L << 20,
                List.of(EndpointAddress.parse("tcp://192.0.2.7:9701")));
        WireStatus status = WireStatus.of(ErrorCode.BUSY, "busy");
        ByteBuf encoded = Unpooled.wrappedBuffer(message());
        Map<String, byte[]> frames = new LinkedHashMap<>();
        frames.put("hello", bytes(FRAMES.hello(hello)));
        frames.put("accept", bytes(FRAMES.accept(hello)));
        frames.put("reject", bytes(FRAMES.reject(status)));
        frames.put("goodbye", bytes(FRAMES.goodbye(WireStatus.ok())));
        frames.put("ping", bytes(FRAMES.ping(3)));
        frames.put("pong", bytes(FRAMES.pong(3)));
        frames.put("open", bytes(FRAMES.open(1, new Open(SERVICE, "xml", OptionalLong.of(5), 7))));
        frames.put("opened", bytes(FRAMES.opened(1, 65_536, OptionalLong.of(9))));
        frames.put("refuse", bytes(FRAMES.refuse(1, status, OptionalLong.of(9))));
        frames.put("end", bytes(FRAMES.end(1)));
        frames.put("credit", bytes(FRAMES.credit(1, 4096)));
        frames.put("ack", bytes(FRAMES.ack(1, 9, 4096)));
        frames.put("blocked", bytes(FRAMES.blocked(1)));
        frames.put("shrink", bytes(FRAMES.shrink(1, 4096)));
        frames.put("shrunk", bytes(FRAMES.shrunk(1, 4096)));
        frames.put("sealed", bytes(FRAMES.sealed(TLS_RECORD.length).writeBytes(TLS_RECORD)));
        frames.put("message", bytes(FRAMES.message(1, encoded.retainedDuplicate())));
        ByteBuf fragmented = encoded.duplicate();
        int half = fragmented.readableBytes() / 2;
        frames.put("first", bytes(FRAMES.first(1, fragmented.readableBytes(), fragmented, half)));
        frames.put("more", bytes(FRAMES.more(1, fragmented, fragmented.readableBytes())));
        return frames;
    }

    /** Returns frames that end too early, which a reader without its checks would read beyond their end. */
    private static Map<String, byte[]> cutFrames() {
        Map<String, byte[]> frames = frames();
        Map<String, byte[]> cut = new LinkedHashMap<>();
        cut.put("cut-field", withoutEnd(frames.get("open"), 1));
        cut.put("cut-number", withoutEnd(frames.get("ping"), 3));
        cut.put("cut-handle", new byte[] {frames.get("end")[0], (byte) 0x80});
        return cut;
    }

    private static byte[] withoutEnd(byte[] frame, int bytes) {
        return Arrays.copyOf(frame, frame.length - bytes);
    }

    private static byte[] message() {
        return bytes(new BinaryMessageCodec()
                .newSession(MessageLimits.DEFAULTS)
                .encode(Message.of("text", "hello"), ByteBufAllocator.DEFAULT));
    }

    private static byte[] bytes(ByteBuf buffer) {
        try {
            return ByteBufUtil.getBytes(buffer);
        } finally {
            buffer.release();
        }
    }

    /** Returns conversations on a link on which the channel with handle 1 is open, in the form that the fuzz test reads. */
    private static Map<String, byte[]> conversations() {
        Map<String, byte[]> frames = frames();
        frames.put("open-same", bytes(FRAMES.open(1, Open.unacknowledged(ServiceAddress.of("service"), ""))));
        Map<String, byte[]> conversations = new LinkedHashMap<>();
        conversations.put(
                "messages-then-goodbye", conversation(frames, "message", "message", "ping", "end", "goodbye"));
        conversations.put("fragments", conversation(frames, "first", "more", "credit", "ack", "pong"));
        conversations.put("open-twice", conversation(frames, "open", "opened", "refuse"));
        conversations.put("open-same-handle", conversation(frames, "message", "open-same", "message"));
        conversations.put("windows", conversation(frames, "blocked", "message", "blocked", "shrink", "shrunk"));
        conversations.put("handshake-again", conversation(frames, "reject", "message"));
        conversations.put("sealed", conversation(frames, "message", "sealed", "ping", "sealed"));
        return conversations;
    }

    /** Returns the content of SEALED frames: the begin of a handshake, in one frame and in several ones. */
    private static Map<String, byte[]> records() {
        byte[] header = Arrays.copyOf(TLS_RECORD, 5);
        byte[] content = Arrays.copyOfRange(TLS_RECORD, 5, TLS_RECORD.length);
        Map<String, byte[]> pieces =
                Map.of("record", TLS_RECORD, "header", header, "content", content, "none", new byte[0]);
        Map<String, byte[]> conversations = new LinkedHashMap<>();
        conversations.put("handshake", conversation(pieces, "record"));
        conversations.put("pieces", conversation(pieces, "header", "content", "record"));
        conversations.put("none", conversation(pieces, "none"));
        return conversations;
    }

    /** The fuzz test takes the bytes of frames from the front of its input, and their lengths from its end. */
    private static byte[] conversation(Map<String, byte[]> frames, String... names) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (String name : names) {
            out.writeBytes(frames.get(name));
        }
        for (int i = names.length - 1; i >= 0; i--) {
            int length = frames.get(names[i]).length;
            if (length > 64) {
                throw new IllegalArgumentException(names[i] + ": " + length + " bytes (expected: <= 64)");
            }
            out.write(length);
        }
        return out.toByteArray();
    }

    @Test
    void corpora_areWhatTheFrameWriterProduces() throws IOException {
        assertCorpus("FrameReaderFuzzTestInputs/read/", frames());
        assertCorpus("FrameReaderFuzzTestInputs/read/", cutFrames());
        assertCorpus("../LinkFuzzTestInputs/frames/", conversations());
        assertCorpus("../LinkFuzzTestInputs/records/", records());
    }

    private static void assertCorpus(String folder, Map<String, byte[]> seeds) throws IOException {
        for (Map.Entry<String, byte[]> seed : seeds.entrySet()) {
            URL resource = FrameSeedCorpusTest.class.getResource(folder + seed.getKey());
            assertThat(resource).as(folder + seed.getKey()).isNotNull();
            try (InputStream in = resource.openStream()) {
                assertThat(in.readAllBytes()).as(folder + seed.getKey()).isEqualTo(seed.getValue());
            }
        }
    }

    @Test
    void everyFrame_isReadWithoutAFault_andEachTypeOccurs() {
        Set<Byte> types = new HashSet<>();
        frames().forEach((name, frame) -> {
            FrameReader.read(Unpooled.wrappedBuffer(frame), new FrameReaderFuzzTest.IgnoringVisitor());
            types.add(frame[0]);
        });
        assertThat(types).as("types of frames").hasSize(19);
    }

    @Test
    void cutFrames_areFaults() {
        cutFrames()
                .forEach((name, frame) -> assertThatThrownBy(() -> FrameReader.read(
                                Unpooled.wrappedBuffer(frame), new FrameReaderFuzzTest.IgnoringVisitor()))
                        .as(name)
                        .isInstanceOf(PeerFaultException.class));
    }

    /** Writes the corpora into the folder of test resources that is the only argument. */
    public static void main(String[] arguments) throws IOException {
        Path endpoint = Path.of(arguments[0], "io", "parley", "endpoint", "internal");
        write(endpoint.resolve("frame/FrameReaderFuzzTestInputs/read"), frames());
        write(endpoint.resolve("frame/FrameReaderFuzzTestInputs/read"), cutFrames());
        write(endpoint.resolve("LinkFuzzTestInputs/frames"), conversations());
        write(endpoint.resolve("LinkFuzzTestInputs/records"), records());
    }

    private static void write(Path folder, Map<String, byte[]> seeds) throws IOException {
        Files.createDirectories(folder);
        for (Map.Entry<String, byte[]> seed : seeds.entrySet()) {
            Files.write(folder.resolve(seed.getKey()), seed.getValue());
        }
    }
}
