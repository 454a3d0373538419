package io.parley.transport.tcp.internal.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.common.internal.WireStatus;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of requests, responses and frames of relays: those of this version, and hostile ones. */
class RelayFormatTest {

    private static final String PEER = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    private static final String ID = "00112233445566778899aabbccddeeff";
    private static final PeerId PEER_ID = PeerId.ofBytes(HexFormat.of().parseHex(PEER));
    private static final UUID CIRCUIT = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    private static final WireStatus STATUS = WireStatus.of(ErrorCode.BUSY, "für später");
    private static final String STATUS_HEX = "0003" + "000c" + "66c3bc722073" + "70c3a4746572";

    static Stream<Arguments> requests() {
        return Stream.of(
                Arguments.of(new RelayRequest.Listen(PEER_ID), "50524c01" + "01" + PEER),
                Arguments.of(new RelayRequest.Dial(PEER_ID), "50524c01" + "02" + PEER),
                Arguments.of(new RelayRequest.Accept(CIRCUIT), "50524c01" + "03" + ID + "00".repeat(16)));
    }

    static Stream<Arguments> responses() {
        return Stream.of(
                Arguments.of(RelayResponse.OK, "50524c01" + "0000" + "0000"),
                Arguments.of(new RelayResponse(STATUS), "50524c01" + STATUS_HEX));
    }

    static Stream<Arguments> frames() {
        return Stream.of(
                Arguments.of(new RelayFrame.Served(), "01"),
                Arguments.of(new RelayFrame.Refused(STATUS), "02" + STATUS_HEX),
                Arguments.of(
                        new RelayFrame.Dialed(CIRCUIT, new InetSocketAddress("192.0.2.1", 0xfffe)),
                        "03" + ID + "fffe" + "04" + "c0000201"),
                Arguments.of(
                        new RelayFrame.Dialed(CIRCUIT, new InetSocketAddress("2001:db8::1", 1)),
                        "03" + ID + "0001" + "10" + "20010db8000000000000000000000001"),
                Arguments.of(new RelayFrame.Declined(CIRCUIT, STATUS), "04" + ID + STATUS_HEX),
                Arguments.of(new RelayFrame.Ping(), "05"),
                Arguments.of(new RelayFrame.Pong(), "06"));
    }

    private static ByteBuf buffer(String hex) {
        return Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex));
    }

    private static String hexAndRelease(ByteBuf written) {
        try {
            return ByteBufUtil.hexDump(written);
        } finally {
            written.release();
        }
    }

    private static void assertViolation(Runnable read, String text) {
        assertThatThrownBy(read::run)
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL_VIOLATION))
                .hasMessageContaining(text);
    }

    // Requests.

    @ParameterizedTest
    @MethodSource("requests")
    void request_hasTheseBytes_andIsRead(RelayRequest request, String hex) {
        assertThat(hexAndRelease(request.write(UnpooledByteBufAllocator.DEFAULT)))
                .isEqualTo(hex);
        ByteBuf in = buffer(hex + "aa");
        assertThat(RelayRequest.isBegin(in.getByte(0))).isTrue();
        assertThat(RelayRequest.read(in)).isEqualTo(request);
        assertThat(in.readableBytes()).as("bytes behind the request").isEqualTo(1);
        assertThat(hex).hasSize(2 * RelayRequest.BYTES);
    }

    @Test
    void request_beginsUnlikeTls_andUnlikeFrames() {
        assertThat(RelayRequest.isBegin((byte) 0x16)).isFalse();
        assertThat(RelayRequest.isBegin((byte) (Connection.MAX_HANDSHAKE_FRAME_BYTES >> 24)))
                .isFalse();
        assertThat(RelayRequest.isBegin((byte) 0x50)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"50524c02", "50524d01", "50000000", "51524c01"})
    void request_ofAnotherMagic_isAViolation(String magic) {
        assertViolation(() -> RelayRequest.read(buffer(magic + "01" + PEER)), "first bytes 0x" + magic);
    }

    @ParameterizedTest
    @ValueSource(strings = {"00", "04", "ff"})
    void request_ofAnotherKind_isAViolation(String kind) {
        assertViolation(() -> RelayRequest.read(buffer("50524c01" + kind + PEER)), "of kind");
    }

    /** Later versions may use the rest of the body. */
    @Test
    void accept_bytesBehindTheId_areIgnored() {
        assertThat(RelayRequest.read(buffer("50524c01" + "03" + ID + "ff".repeat(16))))
                .isEqualTo(new RelayRequest.Accept(CIRCUIT));
    }

    // Responses.

    @ParameterizedTest
    @MethodSource("responses")
    void response_hasTheseBytes_andIsReadWhenItIsComplete(RelayResponse response, String hex) {
        assertThat(hexAndRelease(response.write(UnpooledByteBufAllocator.DEFAULT)))
                .isEqualTo(hex);
        for (int bytes = 0; bytes < hex.length() / 2; bytes++) {
            ByteBuf in = buffer(hex.substring(0, 2 * bytes));
            assertThat(RelayResponse.read(in)).isNull();
            assertThat(in.readableBytes()).isEqualTo(bytes);
        }
        ByteBuf in = buffer(hex + "aa");
        assertThat(RelayResponse.read(in)).isEqualTo(response);
        assertThat(in.readableBytes()).as("bytes behind the response").isEqualTo(1);
    }

    /** As soon as it is known: another server may wait for more. */
    @ParameterizedTest
    @ValueSource(strings = {"16", "5053", "50524d", "50524c02", "485454502f312e31"})
    void response_ofAnotherMagic_isAViolation(String hex) {
        assertViolation(() -> RelayResponse.read(buffer(hex)), "(expected: that of a relay)");
    }

    @Test
    void response_withTooLongAText_isAViolation_beforeTheTextIsThere() {
        assertViolation(() -> RelayResponse.read(buffer("50524c01" + "0003" + "0801")), "2049 bytes");
        assertThat(RelayResponse.read(buffer("50524c01" + "0003" + "0800"))).isNull();
    }

    /** The longest texts of this version have room in responses and frames. */
    @ParameterizedTest
    @ValueSource(strings = {"x", "\u20ac", "\ud83d\ude00", "\n", "\ud800"})
    void longestText_isRead(String unit) {
        WireStatus status = WireStatus.of(ErrorCode.TIMEOUT, unit.repeat(5000));
        ByteBuf response = new RelayResponse(status).write(UnpooledByteBufAllocator.DEFAULT);
        assertThat(RelayResponse.read(response)).isEqualTo(new RelayResponse(status));
        response.release();
        RelayFrame declined = new RelayFrame.Declined(CIRCUIT, status);
        ByteBuf frame = declined.write(UnpooledByteBufAllocator.DEFAULT);
        assertThat(frame.readableBytes()).isLessThanOrEqualTo(RelayFrame.MAX_BYTES);
        assertThat(RelayFrame.read(frame)).isEqualTo(declined);
        frame.release();
    }

    /** A text of another peer is written to logs. */
    @Test
    void text_isOneLine_alsoIfItIsMalformed() {
        RelayResponse response = RelayResponse.read(buffer("50524c01" + "0003" + "0005" + "0a1b5bff41"));
        assertThat(response).isNotNull();
        assertThat(response.status().text()).isEqualTo("  [\ufffdA");
        assertThat(response.status().connection()).isEqualTo(OptionalLong.empty());
    }

    // Frames.

    @ParameterizedTest
    @MethodSource("frames")
    void frame_hasTheseBytes_andIsRead(RelayFrame frame, String hex) {
        ByteBuf written = frame.write(UnpooledByteBufAllocator.DEFAULT);
        assertThat(written.readerIndex()).isEqualTo(Connection.HEADROOM);
        assertThat(hexAndRelease(written)).isEqualTo(hex);
        assertThat(RelayFrame.read(buffer(hex))).isEqualTo(frame);
        assertThat(RelayFrame.read(buffer(hex + "aabb")))
                .as("with bytes of a later version")
                .isEqualTo(frame);
    }

    @ParameterizedTest
    @MethodSource("frames")
    void frame_thatEndsTooEarly_isAViolation(RelayFrame frame, String hex) {
        for (int bytes = 0; bytes < hex.length() / 2; bytes++) {
            ByteBuf in = buffer(hex.substring(0, 2 * bytes));
            assertViolation(() -> RelayFrame.read(in), "frame of a relay: ends too early");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"00", "07", "ff"})
    void frame_ofAnotherType_isAViolation(String hex) {
        assertViolation(() -> RelayFrame.read(buffer(hex)), "type");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 5, 15, 17, 255})
    void frame_withAHostOfAnotherLength_isAViolation(int length) {
        String hex = "03" + ID + "0001" + String.format("%02x", length) + "01".repeat(length);
        assertViolation(() -> RelayFrame.read(buffer(hex)), "host of " + length + " bytes (expected: 4 or 16)");
    }

    /** An unknown code is that of a later version. */
    @Test
    void frame_withAnUnknownCode_isRead() {
        RelayFrame read = RelayFrame.read(buffer("02" + "ffff" + "0000"));
        assertThat(read)
                .isInstanceOfSatisfying(
                        RelayFrame.Refused.class,
                        refused -> assertThat(
                                        refused.status().toException("relay").code())
                                .isEqualTo(ErrorCode.DISCONNECTED));
    }
}
