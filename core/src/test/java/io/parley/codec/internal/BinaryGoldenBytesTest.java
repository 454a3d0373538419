package io.parley.codec.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the codec with bytes written by other implementations or derived field by field from the specification. */
final class BinaryGoldenBytesTest {
    /** Written by JXSE 2.5. */
    static final String THREE_ELEMENTS_HEX =
            "6a786d67000001000361707000036a78656c01010001410018746578742f706c61696e3b63"
                    + "6861727365743d5554462d38000000026869"
                    + "6a78656c020000014200000003010203"
                    + "6a78656c00050001430008746578742f786d6c000000043c782f3e6a78656c00000001530000000109";

    static final Message THREE_ELEMENTS = Message.of(
            MessageElement.ofText("A", "hi").withNamespace("jxta"),
            MessageElement.of("B", new byte[] {1, 2, 3}).withNamespace("app"),
            MessageElement.ofXml("C", "<x/>").withType("text/xml").withSignature(MessageElement.of("S", new byte[] {9
            })));

    private static final String HI_ELEMENT_V1_HEX =
            "6a786d67010000010018746578742f706c61696e3b636861727365743d5554462d38"
                    + "00016a78656c060001000141000200000002" + "6869";

    private final CodecSession session = new BinaryMessageCodec().newSession(MessageLimits.DEFAULTS);

    @Test
    void encode_threeElements_givesTheBytesOfJxse() {
        assertThat(THREE_ELEMENTS_HEX).hasSize(2 * 112);
        assertThat(encodedHex(THREE_ELEMENTS)).isEqualTo(THREE_ELEMENTS_HEX);
        assertThat(session.encodedSize(THREE_ELEMENTS)).isEqualTo(112);
    }

    @Test
    void decode_threeElements_givesTheMessage() {
        assertThat(decodeHex(THREE_ELEMENTS_HEX)).isEqualTo(THREE_ELEMENTS);
    }

    @Test
    void emptyMessage_takesNineBytes() {
        assertThat(encodedHex(Message.EMPTY)).isEqualTo("6a786d670000000000");
        assertThat(decodeHex("6a786d670000000000")).isEqualTo(Message.EMPTY);
    }

    @Test
    void nonAsciiNames_areUtf8() {
        Message message = Message.of(MessageElement.of("€", new byte[0]).withNamespace("né"));
        String hex = "6a786d6700" + "0001" + "00036ec3a9" + "0001" + "6a78656c0200" + "0003e282ac" + "00000000";
        assertThat(encodedHex(message)).isEqualTo(hex);
        assertThat(decodeHex(hex)).isEqualTo(message);
    }

    @Test
    void decode_elementsBehindACountOfZero_readsThemToTheEnd() {
        String uncounted = THREE_ELEMENTS_HEX.substring(0, 24) + "0000" + THREE_ELEMENTS_HEX.substring(28);
        assertThat(decodeHex(uncounted)).isEqualTo(THREE_ELEMENTS);
    }

    @Test
    void decode_bytesBehindTheLastElement_ignoresThem() {
        assertThat(decodeHex(THREE_ELEMENTS_HEX + "00000003cafe00")).isEqualTo(THREE_ELEMENTS);
    }

    @Test
    void decode_jxtaListedAgain_isTheSameNamespace() {
        Message decoded =
                decodeHex("6a786d6700" + "0001" + "00046a787461" + "0001" + "6a78656c0200" + "000141" + "00000000");
        assertThat(decoded)
                .isEqualTo(Message.of(MessageElement.of("A", new byte[0]).withNamespace("jxta")));
    }

    @Test
    void decode_version1() {
        Message message = Message.of(MessageElement.ofText("A", "hi").withNamespace("jxta"));
        assertThat(decodeHex(HI_ELEMENT_V1_HEX)).isEqualTo(message);
    }

    @Test
    void decode_version1_withEveryKindOfString() {
        // names: 2 = "app", 3 = "B", 4 = "a/b"
        String names = "0003" + "0003617070" + "000142" + "0003612f62";
        String allTokens = "6a78656c" + "04" + "0002" + "0003" + "0004" + "00000001" + "07";
        String allLiterals =
                "6a78656c" + "0f" + "ffff00026e73" + "00016e" + "ffff0003742f75" + "0000000000000002" + "0102";
        String signature = "6a78656c" + "00" + "0000" + "0003" + "00000000";
        Message message = Message.of(
                MessageElement.of("app", "B", "a/b", Payload.of(new byte[] {7})),
                MessageElement.of("ns", "n", "t/u", Payload.of(new byte[] {1, 2}))
                        .withSignature(MessageElement.of("B", new byte[0])));
        String elements = allTokens + allLiterals + signature;
        // The namespace of the signature is ignored, in version 1 and in version 0.
        assertThat(decodeHex("6a786d670100" + names + "0002" + elements)).isEqualTo(message);
        assertThat(decodeHex("6a786d670100" + names + "0000" + elements))
                .as("uncounted")
                .isEqualTo(message);
    }

    @Test
    void encode_moreNamespacesThanVersion0Takes_isVersion1() {
        List<MessageElement> elements = new ArrayList<>();
        for (int i = 0; i < 253; i++) {
            elements.add(MessageElement.of("n", new byte[0]).withNamespace("ns" + i));
        }
        assertThat(encodedHex(Message.of(elements))).startsWith("6a786d6700");
        elements.add(MessageElement.ofText("n", "").withNamespace("one more"));
        Message message = Message.of(elements);
        String hex = encodedHex(message);
        assertThat(hex).startsWith("6a786d67010000ff");
        assertThat(decodeHex(hex)).isEqualTo(message);
    }

    @Test
    void encode_moreElementsThanVersion0Takes_isVersion1() {
        MessageElement element = MessageElement.of("n", new byte[0]);
        assertThat(encodedHex(Message.of(Collections.nCopies(32767, element)))).startsWith("6a786d6700");
        Message message = Message.of(Collections.nCopies(32768, element));
        String hex = encodedHex(message);
        assertThat(hex).startsWith("6a786d6701000000" + "8000");
        assertThat(decodeHex(hex)).isEqualTo(message);
    }

    @Test
    void encode_moreElementsThanACountHolds_isVersion1Uncounted() {
        CodecSession large = new BinaryMessageCodec()
                .newSession(
                        MessageLimits.DEFAULTS.toBuilder().maxElements(70_000).build());
        Message message = Message.of(Collections.nCopies(65536, MessageElement.of("n", new byte[0])));
        ByteBuf encoded = large.encode(message, UnpooledByteBufAllocator.DEFAULT);
        try {
            assertThat(ByteBufUtil.hexDump(encoded, 0, 10)).isEqualTo("6a786d67010000000000");
            assertThat(large.decode(encoded)).isEqualTo(message);
        } finally {
            encoded.release();
        }
    }

    @Test
    void encode_longerNamesThanVersion0Takes_isVersion1() {
        CodecSession large = new BinaryMessageCodec()
                .newSession(
                        MessageLimits.DEFAULTS.toBuilder().maxNameBytes(65535).build());
        for (int length : new int[] {32767, 32768, 65535}) {
            Message message = Message.of("n".repeat(length), "text");
            ByteBuf encoded = large.encode(message, UnpooledByteBufAllocator.DEFAULT);
            try {
                assertThat(encoded.getByte(4)).isEqualTo((byte) (length > 32767 ? 1 : 0));
                assertThat(large.decode(encoded)).isEqualTo(message);
            } finally {
                encoded.release();
            }
        }
    }

    private String encodedHex(Message message) {
        ByteBuf encoded = session.encode(message, UnpooledByteBufAllocator.DEFAULT);
        try {
            assertThat((long) encoded.readableBytes()).isEqualTo(session.encodedSize(message));
            return ByteBufUtil.hexDump(encoded);
        } finally {
            encoded.release();
        }
    }

    private Message decodeHex(String hex) {
        return session.decode(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex)));
    }
}
