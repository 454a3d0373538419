package io.parley.testkit.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.message.Message;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The part of {@link MessageCodecContractTest} that concerns the buffers from which messages are decoded, and to which they are encoded. */
abstract class CodecBufferContract extends CodecSessionContract {

    @Test
    protected void decode_anyKindOfBuffer_leavesItAlone() {
        Message message = sample();
        byte[] bytes = encodedBytes(message);
        int length = bytes.length;
        List<IntFunction<ByteBuf>> kinds = List.of(
                offset -> Unpooled.buffer(offset + length),
                offset -> allocator.directBuffer(offset + length),
                offset -> allocator.heapBuffer(offset + length),
                offset -> allocator.compositeBuffer());
        for (IntFunction<ByteBuf> kind : kinds) {
            for (int offset : new int[] {0, 1, 7}) {
                ByteBuf buffer = kind.apply(offset);
                try {
                    buffer.writeZero(offset).writeBytes(bytes).readerIndex(offset);
                    assertThat(codec().newSession(LIMITS).decode(buffer)).isEqualTo(message);
                    assertThat(buffer.readerIndex()).isEqualTo(offset);
                    assertThat(buffer.writerIndex()).isEqualTo(offset + length);
                    assertThat(buffer.refCnt()).isOne();
                    assertThat(ByteBufUtil.getBytes(buffer)).isEqualTo(bytes);
                } finally {
                    buffer.release();
                }
            }
        }
    }

    @Test
    protected void decode_compositeCutAtEveryByte_givesTheMessage() {
        Message message = sample();
        byte[] bytes = encodedBytes(message);
        for (int cut = 0; cut <= bytes.length; cut++) {
            CompositeByteBuf buffer = Unpooled.compositeBuffer();
            buffer.addComponent(true, Unpooled.copiedBuffer(bytes, 0, cut));
            buffer.addComponent(true, Unpooled.directBuffer(bytes.length).writeBytes(bytes, cut, bytes.length - cut));
            try {
                assertThat(codec().newSession(LIMITS).decode(buffer))
                        .as("cut at %d", cut)
                        .isEqualTo(message);
            } finally {
                buffer.release();
            }
        }
    }

    @Test
    protected void decode_compositeOfSingleBytes_givesTheMessage() {
        Message message = sample();
        byte[] bytes = encodedBytes(message);
        UnaryOperator<ByteBuf> asItIs = UnaryOperator.identity();
        for (IntFunction<ByteBuf> kind :
                List.<IntFunction<ByteBuf>>of(allocator::heapBuffer, allocator::directBuffer)) {
            for (UnaryOperator<ByteBuf> view : List.of(asItIs, ByteBuf::asReadOnly)) {
                for (UnaryOperator<ByteBuf> whole : List.of(asItIs, ByteBuf::asReadOnly)) {
                    CompositeByteBuf composite = allocator.compositeBuffer(Integer.MAX_VALUE);
                    try {
                        for (byte b : bytes) {
                            composite.addComponent(
                                    true, view.apply(kind.apply(1).writeByte(b)));
                        }
                        assertThat(codec().newSession(LIMITS).decode(whole.apply(composite)))
                                .isEqualTo(message);
                        assertThat(composite.readerIndex()).isZero();
                        assertThat(composite.writerIndex()).isEqualTo(bytes.length);
                        assertThat(composite.refCnt()).isOne();
                    } finally {
                        composite.release();
                    }
                }
            }
        }
    }

    @Test
    protected void decode_directBuffer_keepsNothingOfIt() {
        Message message = sample();
        ByteBuf encoded = allocator.directBuffer().writeBytes(encodedBytes(message));
        Message decoded;
        try {
            decoded = codec().newSession(LIMITS).decode(encoded);
            encoded.setZero(0, encoded.capacity());
        } finally {
            encoded.release();
        }
        assertThat(decoded).isEqualTo(message);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, 1000, 200_000})
    protected void encode_withHeadroom_givesTheSameBytesBehindIt(int size) {
        Message message = Message.of("data", new byte[size]);
        ByteBuf plain = codec().newSession(LIMITS).encode(message, allocator);
        ByteBuf roomy = codec().newSession(LIMITS).encode(message, 16, allocator);
        try {
            assertThat(roomy).isEqualTo(plain);
            if (roomy.readerIndex() > 0) {
                assertThat(roomy.readerIndex()).isEqualTo(16);
                roomy.setBytes(0, new byte[16]);
                assertThat(roomy)
                        .as("after a header was written to the headroom")
                        .isEqualTo(plain);
            }
        } finally {
            plain.release();
            roomy.release();
        }
    }

    @Test
    protected void tryEncode_appendsTheMessageToAnyKindOfBuffer_orNothing() {
        Message message = sample();
        byte[] bytes = encodedBytes(message);
        int length = bytes.length;
        List<IntFunction<ByteBuf>> kinds = List.of(
                offset -> allocator.directBuffer(offset + length),
                offset -> allocator.directBuffer(offset),
                offset -> allocator.heapBuffer(offset + length),
                offset -> allocator.compositeBuffer().addComponent(allocator.directBuffer(offset + length)));
        for (IntFunction<ByteBuf> kind : kinds) {
            for (int maxBytes : new int[] {length - 1, length, Integer.MAX_VALUE}) {
                ByteBuf buffer = kind.apply(7).writeZero(7);
                try {
                    boolean appended = codec().newSession(LIMITS).tryEncode(message, buffer, maxBytes);
                    byte[] expected = appended ? bytes : new byte[0];
                    assertThat(appended && maxBytes < length).isFalse();
                    assertThat(ByteBufUtil.getBytes(buffer.skipBytes(7))).isEqualTo(expected);
                } finally {
                    buffer.release();
                }
            }
        }
    }

    @Test
    protected void encodedSize_isExactOrUnknown() {
        for (Message message : List.of(Message.EMPTY, sample(), Message.of("large", new byte[100_000]))) {
            long announced = codec().newSession(LIMITS).encodedSize(message);
            assertThat(announced).isIn(-1L, (long) encodedBytes(message).length);
        }
    }
}
