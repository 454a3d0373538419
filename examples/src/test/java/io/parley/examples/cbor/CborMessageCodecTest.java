package io.parley.examples.cbor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.Peer;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.error.PeerFaultException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.codec.MessageCodecContractTest;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The codec contract, and further properties of this format. */
final class CborMessageCodecTest extends MessageCodecContractTest {
    private final CodecSession session = new CborMessageCodec().newSession(MessageLimits.DEFAULTS);

    @Override
    protected MessageCodec codec() {
        return new CborMessageCodec();
    }

    /** Examples that select no codec use the binary one. */
    @Test
    void installed_binaryComesFirst() {
        try (Peer peer = Peer.builder().multicast(false).start()) {
            assertThat(peer.endpoint().codecs()).startsWith("binary").contains("cbor");
        }
    }

    @Test
    void decode_indefiniteArraysAndChunks_areAccepted() {
        Message message = decode("9f" + "9f" + "60" + "7f61416142ff" + "63612f62" + "5f4101420203ff" + "ff" + "ff");
        assertThat(message)
                .isEqualTo(
                        Message.of(MessageElement.of("AB", new byte[] {1, 2, 3}).withType("a/b")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        ''                            | the end (expected: START_ARRAY)
        80 00                         | VALUE_NUMBER_INT (expected: the end)
        a0                            | START_OBJECT (expected: START_ARRAY)
        81 80                         | END_ARRAY (expected: VALUE_STRING)
        81 84 60 60 63 612f62 f7      | VALUE_NULL (expected: VALUE_EMBEDDED_OBJECT)
        81 84 60 60 63 612f62 e0      | VALUE_NUMBER_INT (expected: VALUE_EMBEDDED_OBJECT)
        81 84 60 60 63 612f62 60      | VALUE_STRING (expected: VALUE_EMBEDDED_OBJECT)
        81 84 60 60 61 61 40          | type: 'a' (expected: a MIME type
        81 84 60 63 eda080 63 612f62 40 | a string that is not UTF-8
        81 85 60 60 63 612f62 40 60   | expected
        81 88 60 60 63 612f62 40 60 63 612f62 40 40 | VALUE_EMBEDDED_OBJECT (expected: END_ARRAY)
        d9d9f7 80                     | at byte 0: a tag
        d90100 81 84 60 60 63 612f62 40 | at byte 0: a tag
        81 84 60 60 63 612f62 c2 41 01 | a tag (expected: none)
        """)
    void decode_faultyField_namesOffsetAndFault(String hex, String expected) {
        assertThatThrownBy(() -> decode(hex))
                .isInstanceOf(PeerFaultException.class)
                .hasMessageContaining("CBOR message, at byte ")
                .hasMessageContaining(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "9b7fffffffffffffff",
                "9a7fffffff",
                "819a7fffffff",
                "81847a7fffffff61",
                "81847b000000007fffffff61",
                "8184606063612f625a7fffffff01",
                "8184606063612f625b000000007fffffff01",
                "8184606063612f625b7fffffffffffffff01",
                "8184606063612f625f5a7fffffff01"
            })
    void decode_hugeLengths_allocatesLittleForThem(String hex) {
        CodecSession lenient = codec().newSession(MessageLimits.DEFAULTS.toBuilder()
                .maxElementBytes(Integer.MAX_VALUE - 8)
                .build());
        ByteBuf encoded = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
        assertThatThrownBy(() -> lenient.decode(encoded)).isInstanceOf(PeerFaultException.class);
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(thread);
        assertThatThrownBy(() -> lenient.decode(encoded)).isInstanceOf(PeerFaultException.class);
        assertThat(threads.getThreadAllocatedBytes(thread) - before).isLessThan(500_000);
    }

    /** Jackson would process as many tags for hours. */
    @Test
    void decode_megabytesOfTags_areRejectedAtTheFirst() {
        byte[] tags = new byte[16 << 20];
        Arrays.fill(tags, (byte) 0xC1);
        assertThatThrownBy(() -> session.decode(Unpooled.wrappedBuffer(tags)))
                .isInstanceOf(PeerFaultException.class)
                .hasMessageContaining("at byte 0: a tag");
    }

    private Message decode(String hex) {
        return session.decode(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex.replace(" ", ""))));
    }
}
