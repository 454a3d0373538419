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
import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrequentNamesTest {

    private final CodecSession session = new BinaryMessageCodec().newSession(MessageLimits.DEFAULTS);

    private String decodedName(Message message) {
        ByteBuf encoded = session.encode(message, UnpooledByteBufAllocator.DEFAULT);
        byte[] bytes = ByteBufUtil.getBytes(encoded);
        encoded.release();
        return session.decode(Unpooled.wrappedBuffer(bytes)).elements().get(0).name();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "text", "an element name of 32 characters"})
    void name_ofTwoMessages_isTheSameObject(String name) {
        Message message = Message.of(name, new byte[1]);
        assertThat(decodedName(message)).isEqualTo(name).isSameAs(decodedName(message));
    }

    @Test
    void name_thatIsLong_orNotAscii_orOneOfManyInItsMessage_isNotKept() {
        Message notAscii = Message.of("größe", new byte[1]);
        assertThat(decodedName(notAscii)).isEqualTo("größe").isNotSameAs(decodedName(notAscii));
        Message longName = Message.of("x".repeat(FrequentNames.MAX_BYTES + 1), new byte[1]);
        assertThat(decodedName(longName)).isNotSameAs(decodedName(longName));
        Message many = Message.of(IntStream.range(0, 33)
                .mapToObj(i -> MessageElement.of("one of many", new byte[1]))
                .toList());
        assertThat(decodedName(many)).isNotSameAs(decodedName(many));
    }

    @Test
    void names_ofMoreThanTheTableHolds_areAllDecoded() {
        for (int i = 0; i < 10_000; i++) {
            String name = Integer.toString(i % 1000);
            assertThat(decodedName(Message.of(name, new byte[1]))).isEqualTo(name);
        }
    }

    @Test
    void find_nameOfTheSameSlot_isNotConfused() {
        FrequentNames names = new FrequentNames();
        String present = "the name in the slot";
        String other = "thE name in the slot"; // differs in no character that selects the slot
        names.add(in(present), 0, 20, present);
        assertThat(names.find(in(present), 0, 20)).isSameAs(present);
        assertThat(names.find(in(other), 0, 20)).isNull();
        assertThat(names.encoded(other)).asString(StandardCharsets.US_ASCII).isEqualTo(other);
        assertThat(names.find(in(other), 0, 20)).isSameAs(other);
        assertThat(names.find(in(present), 0, 20)).isNull();
    }

    @Test
    void encoded_nameInUse_isTheSameArray() {
        FrequentNames names = new FrequentNames();
        byte[] encoded = names.encoded("name");
        assertThat(encoded).asString(StandardCharsets.US_ASCII).isEqualTo("name");
        assertThat(names.encoded("name")).isSameAs(encoded);
    }

    @ParameterizedTest
    @ValueSource(strings = {"größe", "\uD800", "a name that is longer than the 32 bytes"})
    void encoded_nameThatIsLongOrNotAscii_isNotKept(String name) {
        assertThat(new FrequentNames().encoded(name)).isNull();
    }

    private static WireInput in(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new ArrayWireInput(bytes, 0, bytes.length, MessageLimits.DEFAULTS);
    }
}
