package io.parley.endpoint.internal.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.id.PeerId;
import io.parley.testkit.TestSeed;
import io.parley.testkit.codec.ByteMutator;
import io.parley.transport.EndpointAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The bytes of each frame, written and read. */
class FrameFormatTest {

    private static final FrameWriter WRITER = new FrameWriter(UnpooledByteBufAllocator.DEFAULT);

    /** The public key of RFC 8032, section 7.1, test 1. */
    private static final String PEER = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

    private static final PeerId PEER_ID = PeerId.ofBytes(ByteBufUtil.decodeHexDump(PEER));

    private static final Hello HELLO = new Hello(
            1,
            PEER_ID,
            0x0102030405060708L,
            0x1112131415161718L,
            OptionalLong.of(0x2122232425262728L),
            List.of("binary", "xml"),
            64 << 20,
            List.of(EndpointAddress.parse("tcp://192.0.2.1:9701")));

    /** One frame of each type, with its bytes and the call of the visitor as text. */
    enum Vector {
        HELLO_FRAME(
                "01 50524c59 01 01"
                        + "01 20" + PEER
                        + "02 08 0102030405060708"
                        + "03 08 1112131415161718"
                        + "06 08 0000000004000000"
                        + "04 08 2122232425262728"
                        + "05 06 62696e617279"
                        + "05 03 786d6c"
                        + "07 14 7463703a2f2f3139322e302e322e313a39373031",
                writer -> writer.hello(HELLO),
                "HELLO " + HELLO),
        ACCEPT(
                "02 01 00"
                        + "01 20" + PEER
                        + "02 08 0000000000000007"
                        + "03 08 1112131415161718"
                        + "06 08 0000000000010000"
                        + "05 06 62696e617279",
                writer -> writer.accept(response()),
                "ACCEPT " + response()),
        REJECT(
                "03 01 08 0000000000000006"
                        + "02 1d 746865726520697320612063 6f6e6e656374696f6e20616c7265616479"
                        + "03 08 1112131415161718",
                writer -> writer.reject(WireStatus.duplicateOf(0x1112131415161718L)),
                "REJECT " + WireStatus.duplicateOf(0x1112131415161718L)),
        GOODBYE(
                "04 01 08 0000000000000000 02 00",
                writer -> writer.goodbye(WireStatus.ok()),
                "GOODBYE " + WireStatus.ok()),
        PING("05 0000000000000001", writer -> writer.ping(1), "PING 1"),
        PONG("06 ffffffffffffffff", writer -> writer.pong(-1), "PONG -1"),
        OPEN(
                "10 01 01 04 70697065 02 03 616263",
                writer -> writer.open(1, Open.unacknowledged(new ServiceAddress("pipe", "abc"), "")),
                "OPEN 1 pipe/abc"),
        OPEN_WITHOUT_PARAMETER(
                "10 ac02 01 04 70697065",
                writer -> writer.open(300, Open.unacknowledged(ServiceAddress.of("pipe"), "")),
                "OPEN 300 pipe"),
        OPEN_IN_ANOTHER_CODEC(
                "10 02 01 04 70697065 03 03 786d6c",
                writer -> writer.open(2, Open.unacknowledged(ServiceAddress.of("pipe"), "xml")),
                "OPEN 2 pipe in xml"),
        OPEN_CHANNEL(
                "10 01 01 04 70697065 04 08 0000000000000005 05 08 0000000000000007",
                writer -> writer.open(1, new Open(ServiceAddress.of("pipe"), "", OptionalLong.of(5), 7)),
                "OPEN 1 pipe channel 5 from 7"),
        OPEN_SCHEMES(
                "10 01 01 04 70697065 04 08 0000000000000005 05 08 0000000000000000 06 02 6669 06 07 6165732d67636d",
                writer -> writer.open(
                        1, new Open(ServiceAddress.of("pipe"), "", OptionalLong.of(5), 0, List.of("fi", "aes-gcm"))),
                "OPEN 1 pipe channel 5 from 0 schemes [fi, aes-gcm]"),
        OPEN_SECURE(
                "10 01 01 04 70697065 04 08 0000000000000005 05 08 0000000000000007 07 00",
                writer ->
                        writer.open(1, new Open(ServiceAddress.of("pipe"), "", OptionalLong.of(5), 7, List.of(), true)),
                "OPEN 1 pipe channel 5 from 7 secure"),
        OPENED(
                "11 01 01 08 0000000000400000",
                writer -> writer.opened(1, 4 << 20, OptionalLong.empty()),
                "OPENED 1 4194304"),
        OPENED_CHANNEL(
                "11 01 01 08 0000000000400000 02 08 0000000000000009",
                writer -> writer.opened(1, 4 << 20, OptionalLong.of(9)),
                "OPENED 1 4194304 received 9"),
        OPENED_SCHEMES(
                "11 01 01 08 0000000000400000 02 08 0000000000000009 03 02 6669 03 07 6165732d67636d 04 08 0000000000000001",
                writer -> writer.opened(1, new Opened(4 << 20, OptionalLong.of(9), List.of("fi", "aes-gcm"), true)),
                "OPENED 1 4194304 received 9 schemes [fi, aes-gcm] state"),
        REFUSE(
                "12 01 01 08 0000000000000015 02 02 6e6f",
                writer -> writer.refuse(1, WireStatus.of(ErrorCode.NO_SUCH_SERVICE, "no"), OptionalLong.empty()),
                "REFUSE 1 " + WireStatus.of(ErrorCode.NO_SUCH_SERVICE, "no")),
        REFUSE_CHANNEL(
                "12 01 01 08 0000000000000015 02 02 6e6f 04 08 0000000000000009",
                writer -> writer.refuse(1, WireStatus.of(ErrorCode.NO_SUCH_SERVICE, "no"), OptionalLong.of(9)),
                "REFUSE 1 " + WireStatus.of(ErrorCode.NO_SUCH_SERVICE, "no") + " received 9"),
        SEALED(
                "28 17 03 03 00 02 ca fe",
                writer -> writer.sealed(7).writeBytes(hex("1703030002cafe")),
                "SEALED 1703030002cafe"),
        END("13 01", writer -> writer.end(1), "END 1"),
        MESSAGE("20 01 cafe", writer -> writer.message(1, hex("cafe")), "MESSAGE 1 cafe"),
        FIRST("21 01 f0a204 cafe", writer -> writer.first(1, 70_000, hex("cafe"), 2), "FIRST 1 70000 cafe"),
        MORE("22 01 cafe", writer -> writer.more(1, hex("cafe"), 2), "MORE 1 cafe"),
        CREDIT("23 01 808040", writer -> writer.credit(1, 1 << 20), "CREDIT 1 1048576"),
        ACK("24 01 09 808040", writer -> writer.ack(1, 9, 1 << 20), "ACK 1 9 1048576"),
        BLOCKED("25 01", writer -> writer.blocked(1), "BLOCKED 1"),
        SHRINK("26 01 808040", writer -> writer.shrink(1, 1 << 20), "SHRINK 1 1048576"),
        SHRUNK("27 01 8040", writer -> writer.shrunk(1, 8192), "SHRUNK 1 8192"),
        HIGHEST_HANDLE("13 ffffffff07", writer -> writer.end(Integer.MAX_VALUE), "END 2147483647"),
        HIGHEST_CREDIT(
                "23 01 ffffffffffffffff7f", writer -> writer.credit(1, Long.MAX_VALUE), "CREDIT 1 " + Long.MAX_VALUE);

        private final String bytes;
        private final Function<FrameWriter, ByteBuf> write;
        private final String read;

        Vector(String bytes, Function<FrameWriter, ByteBuf> write, String read) {
            this.bytes = bytes.replace(" ", "");
            this.write = write;
            this.read = read;
        }

        private static Hello response() {
            return new Hello(
                    0, PEER_ID, 7, 0x1112131415161718L, OptionalLong.empty(), List.of("binary"), 65_536, List.of());
        }
    }

    private static ByteBuf hex(String hex) {
        return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
    }

    private static String dumpAndRelease(ByteBuf frame) {
        try {
            return ByteBufUtil.hexDump(frame);
        } finally {
            frame.release();
        }
    }

    private static String read(byte[] frame) {
        Recorder recorder = new Recorder();
        // With bytes in front, to detect code that assumes a reader index of zero.
        ByteBuf buffer = Unpooled.wrappedBuffer(new byte[] {9, 9, 9}, frame).skipBytes(3);
        FrameReader.read(buffer, recorder);
        return String.join("; ", recorder.received);
    }

    @ParameterizedTest
    @EnumSource
    void writer_writesTheBytes(Vector vector) {
        assertThat(dumpAndRelease(vector.write.apply(WRITER))).isEqualTo(vector.bytes);
    }

    @ParameterizedTest
    @EnumSource
    void reader_readsTheBytes(Vector vector) {
        assertThat(read(ByteBufUtil.decodeHexDump(vector.bytes))).isEqualTo(vector.read);
    }

    /** The table of vectors in {@code docs/wire-format.md} contains the vectors of this test. */
    @Test
    void document_hasTheBytes() throws IOException {
        Map<String, String> documented = new TreeMap<>();
        Matcher row =
                Pattern.compile("(?m)^\\| ([A-Z_]+) \\| `([0-9a-fP ]+)` \\|$").matcher(document());
        while (row.find()) {
            documented.put(row.group(1), row.group(2).replace("P", PEER).replace(" ", ""));
        }
        Map<String, String> tested = new TreeMap<>();
        for (Vector vector : Vector.values()) {
            tested.put(vector.name().replace("HELLO_FRAME", "HELLO"), vector.bytes);
        }
        assertThat(documented).hasSize(25);
        assertThat(tested).containsAllEntriesOf(documented);
    }

    /** Searches upwards, because tests run in the folder of the module or of the project. */
    private static String document() throws IOException {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            Path document = folder.resolve("docs").resolve("wire-format.md");
            if (Files.exists(document)) {
                return Files.readString(document);
            }
        }
        throw new IOException("docs/wire-format.md: not found in a parent folder");
    }

    @Test
    void fragments_ofDirectMemoryShareIt_andFragmentsOfHeapMemoryAreOneBuffer() {
        byte[] content = new byte[1000];
        new Random(5).nextBytes(content);
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        FrameWriter writer = new FrameWriter(allocator);
        ByteBuf direct = Unpooled.directBuffer().writeBytes(content);
        ByteBuf heap = Unpooled.wrappedBuffer(Arrays.copyOf(content, 300), Arrays.copyOfRange(content, 300, 1000));
        for (ByteBuf encoded : List.of(direct, heap)) {
            ByteBuf first = writer.first(1, 1000, encoded, 600);
            ByteBuf more = writer.more(1, encoded, 400);
            assertThat(allocator.metric().usedDirectMemory() < 600).isEqualTo(encoded == direct);
            assertThat(first.nioBufferCount()).isEqualTo(encoded == direct ? 2 : 1);
            assertThat(encoded.isReadable()).isFalse();
            ByteBuf whole = Unpooled.buffer();
            whole.writeBytes(first, first.readerIndex() + 4, 600).writeBytes(more, more.readerIndex() + 2, 400);
            assertThat(ByteBufUtil.getBytes(whole)).isEqualTo(content);
            first.release();
            more.release();
            encoded.release();
        }
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void message_withHeadroom_needsNoSecondBuffer() {
        ByteBuf encoded =
                Unpooled.buffer().writeZero(FrameWriter.MESSAGE_HEADROOM).writeBytes(hex("cafe"));
        encoded.readerIndex(FrameWriter.MESSAGE_HEADROOM);
        ByteBuf frame = WRITER.message(300, encoded);
        assertThat(frame).isSameAs(encoded);
        assertThat(dumpAndRelease(frame)).isEqualTo("20ac02cafe");
    }

    /** A truncated frame may be valid if its end is optional. Otherwise only a protocol violation is thrown. */
    @ParameterizedTest
    @EnumSource
    void everyTruncation_isReadOrRejected(Vector vector) {
        byte[] frame = ByteBufUtil.decodeHexDump(vector.bytes);
        int rejected = 0;
        for (int length = 0; length < frame.length; length++) {
            byte[] cut = java.util.Arrays.copyOf(frame, length);
            try {
                read(cut);
            } catch (PeerFaultException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL_VIOLATION);
                rejected++;
            }
        }
        assertThat(rejected).isPositive();
    }

    @Test
    void mutations_areReadOrRejected() {
        long seed = TestSeed.next("FrameFormatTest.mutations");
        ByteMutator mutator = new ByteMutator(seed);
        int read = 0;
        int rejected = 0;
        Vector[] vectors = Vector.values();
        byte[][] frames = new byte[vectors.length][];
        for (int i = 0; i < vectors.length; i++) {
            frames[i] = ByteBufUtil.decodeHexDump(vectors[i].bytes);
        }
        for (int i = 0; i < 200_000; i++) {
            byte[] mutated = mutator.mutate(frames[i % frames.length]);
            try {
                FrameReader.read(Unpooled.wrappedBuffer(mutated), new Recorder());
                read++;
            } catch (PeerFaultException e) {
                rejected++;
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ", frame " + ByteBufUtil.hexDump(mutated), e);
            }
        }
        assertThat(read).isGreaterThan(1000);
        assertThat(rejected).isGreaterThan(1000);
    }

    @Test
    void randomFrames_surviveARoundTrip() {
        Random random = TestSeed.random("FrameFormatTest.randomFrames");
        for (int i = 0; i < 300; i++) {
            int handle = random.nextInt() >>> (1 + random.nextInt(30));
            long number = random.nextLong() >>> (1 + random.nextInt(62));
            String service = text(random, 1, 120);
            String parameter = text(random, 0, 120);
            WireStatus status = new WireStatus(
                    random.nextInt(60),
                    text(random, 0, 100),
                    random.nextBoolean() ? OptionalLong.of(random.nextLong()) : OptionalLong.empty());
            Hello hello = hello(random);
            ServiceAddress address = new ServiceAddress(service, parameter);
            check(WRITER.hello(hello), "HELLO " + hello);
            check(WRITER.accept(hello), "ACCEPT " + hello);
            check(WRITER.reject(status), "REJECT " + status);
            check(WRITER.goodbye(status), "GOODBYE " + status);
            check(WRITER.ping(number), "PING " + number);
            check(WRITER.pong(-number), "PONG " + -number);
            long base = random.nextLong() >>> 1;
            check(WRITER.open(handle, Open.unacknowledged(address, "")), "OPEN " + handle + " " + address);
            check(
                    WRITER.open(handle, new Open(address, "", OptionalLong.of(-number), base)),
                    "OPEN " + handle + " " + address + " channel " + -number + " from " + base);
            check(
                    WRITER.opened(handle, number, OptionalLong.of(base)),
                    "OPENED " + handle + " " + number + " received " + base);
            check(
                    WRITER.refuse(handle, status, OptionalLong.of(base)),
                    "REFUSE " + handle + " " + status + " received " + base);
            check(WRITER.ack(handle, base, number), "ACK " + handle + " " + base + " " + number);
            check(WRITER.blocked(handle), "BLOCKED " + handle);
            check(WRITER.shrink(handle, number), "SHRINK " + handle + " " + number);
            check(WRITER.shrunk(handle, number), "SHRUNK " + handle + " " + number);
            check(WRITER.end(handle), "END " + handle);
            check(WRITER.credit(handle, number), "CREDIT " + handle + " " + number);
            byte[] bytes = new byte[random.nextInt(50)];
            random.nextBytes(bytes);
            String dump = ByteBufUtil.hexDump(bytes);
            check(WRITER.message(handle, Unpooled.wrappedBuffer(bytes)), "MESSAGE " + handle + " " + dump);
            check(
                    WRITER.first(handle, number, Unpooled.wrappedBuffer(bytes), bytes.length),
                    "FIRST " + handle + " " + number + " " + dump);
            check(WRITER.more(handle, Unpooled.wrappedBuffer(bytes), bytes.length), "MORE " + handle + " " + dump);
        }
    }

    private static void check(ByteBuf frame, String expected) {
        assertThat(read(ByteBufUtil.decodeHexDump(dumpAndRelease(frame)))).isEqualTo(expected);
    }

    private static Hello hello(Random random) {
        byte[] peer = new byte[PeerId.BYTES];
        random.nextBytes(peer);
        List<String> codecs = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            codecs.add(text(random, 1, 20));
        }
        List<EndpointAddress> addresses = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
            addresses.add(new EndpointAddress("tcp", "host-" + random.nextInt(100), random.nextInt(65_536)));
        }
        return new Hello(
                random.nextInt(256),
                PeerId.ofBytes(peer),
                random.nextLong(),
                random.nextLong(),
                random.nextBoolean() ? OptionalLong.of(random.nextLong()) : OptionalLong.empty(),
                codecs,
                random.nextLong() >>> 1,
                addresses);
    }

    private static String text(Random random, int min, int max) {
        StringBuilder text = new StringBuilder();
        for (int i = min + random.nextInt(max - min + 1); i > 0; i--) {
            text.appendCodePoint(random.nextInt(8) == 0 ? 0x1F600 + random.nextInt(50) : 'a' + random.nextInt(26));
        }
        return text.toString();
    }

    @Test
    void statusText_isTruncatedAndPrintable() {
        WireStatus status = WireStatus.of(ErrorCode.BUSY, "a\r\nb\u001b[31m" + "x".repeat(1000));
        assertThat(status.text()).hasSize(500).startsWith("a  b [31m").doesNotContain("\n", "\r");
    }

    /** An opening may wait for memory that is charged to nobody yet. */
    @Test
    void open_withManySchemesOrLongNames_keepsWhatAPeerMayHave() {
        List<String> offered = new ArrayList<>(List.of("x".repeat(33), "y".repeat(32)));
        IntStream.range(0, 10_000).forEach(i -> offered.add("s" + i));
        ByteBuf frame = WRITER.open(1, new Open(ServiceAddress.of("pipe"), "", OptionalLong.of(5), 0, offered));
        assertThat(read(ByteBufUtil.decodeHexDump(dumpAndRelease(frame))))
                .isEqualTo("OPEN 1 pipe channel 5 from 0 schemes " + offered.subList(1, 17));
    }

    @Test
    void open_withALongCodecName_isRejected() {
        ByteBuf longest = WRITER.open(1, Open.unacknowledged(ServiceAddress.of("pipe"), "c".repeat(512)));
        assertThat(read(ByteBufUtil.decodeHexDump(dumpAndRelease(longest)))).endsWith("c");
        ByteBuf longer = WRITER.open(1, Open.unacknowledged(ServiceAddress.of("pipe"), "c".repeat(513)));
        byte[] bytes = ByteBufUtil.decodeHexDump(dumpAndRelease(longer));
        assertThatThrownBy(() -> read(bytes))
                .isInstanceOf(PeerFaultException.class)
                .hasMessageContaining("codec of OPEN frame: 513");
    }

    @Test
    void otherMajorVersion_isRejected() {
        assertThat(org.assertj.core.api.Assertions.catchThrowableOfType(
                                PeerFaultException.class, () -> read(ByteBufUtil.decodeHexDump("0150524c590203")))
                        .code())
                .isEqualTo(ErrorCode.VERSION_UNSUPPORTED);
    }

    private static String received(OptionalLong count) {
        return count.isEmpty() ? "" : " received " + count.getAsLong();
    }

    private static final class Recorder implements FrameVisitor {

        @Override
        public void onAck(int handle, long count, long credit) {
            received.add("ACK " + handle + " " + count + " " + credit);
        }

        private final List<String> received = new ArrayList<>();

        @Override
        public void onHello(Hello hello) {
            received.add("HELLO " + hello);
        }

        @Override
        public void onAccept(Hello hello) {
            received.add("ACCEPT " + hello);
        }

        @Override
        public void onReject(WireStatus status) {
            received.add("REJECT " + status);
        }

        @Override
        public void onGoodbye(WireStatus status) {
            received.add("GOODBYE " + status);
        }

        @Override
        public void onPing(long number) {
            received.add("PING " + number);
        }

        @Override
        public void onPong(long number) {
            received.add("PONG " + number);
        }

        @Override
        public void onOpen(int handle, Open open) {
            received.add("OPEN " + handle + " " + open.service()
                    + (open.codec().isEmpty() ? "" : " in " + open.codec())
                    + (open.channel().isEmpty()
                            ? ""
                            : " channel " + open.channel().getAsLong() + " from " + open.base())
                    + (open.schemes().isEmpty() ? "" : " schemes " + open.schemes())
                    + (open.secure() ? " secure" : ""));
        }

        @Override
        public void onOpened(int handle, Opened opened) {
            received.add("OPENED " + handle + " " + opened.window() + received(opened.received())
                    + (opened.schemes().isEmpty() ? "" : " schemes " + opened.schemes())
                    + (opened.stateKept() ? " state" : ""));
        }

        @Override
        public void onRefuse(int handle, WireStatus status, OptionalLong count) {
            received.add("REFUSE " + handle + " " + status + received(count));
        }

        @Override
        public void onEnd(int handle) {
            received.add("END " + handle);
        }

        @Override
        public void onMessage(int handle, ByteBuf encoded) {
            received.add("MESSAGE " + handle + " " + ByteBufUtil.hexDump(encoded));
        }

        @Override
        public void onFirst(int handle, long total, ByteBuf fragment) {
            received.add("FIRST " + handle + " " + total + " " + ByteBufUtil.hexDump(fragment));
        }

        @Override
        public void onMore(int handle, ByteBuf fragment) {
            received.add("MORE " + handle + " " + ByteBufUtil.hexDump(fragment));
        }

        @Override
        public void onCredit(int handle, long bytes) {
            received.add("CREDIT " + handle + " " + bytes);
        }

        @Override
        public void onBlocked(int handle) {
            received.add("BLOCKED " + handle);
        }

        @Override
        public void onShrink(int handle, long bytes) {
            received.add("SHRINK " + handle + " " + bytes);
        }

        @Override
        public void onShrunk(int handle, long bytes) {
            received.add("SHRUNK " + handle + " " + bytes);
        }

        @Override
        public void onSealed(ByteBuf records) {
            received.add("SEALED " + ByteBufUtil.hexDump(records));
        }
    }
}
