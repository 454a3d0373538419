package io.parley.testkit.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** The hooks of {@link MessageCodecContractTest} and the helpers of its test cases. */
abstract class CodecContract {
    static final MessageLimits LIMITS = MessageLimits.DEFAULTS;
    static final int MEBIBYTE = 1 << 20;

    final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

    @TempDir
    Path directory;

    /** Returns the codec under test. */
    protected abstract MessageCodec codec();

    /** Returns whether the format can represent signatures. If not, the codec must reject messages with signatures. */
    protected boolean carriesSignatures() {
        return true;
    }

    /**
     * Returns the current size of the state of a session in bytes, if the test can measure it. A present value is compared
     * with {@link MessageCodec#maxStateBytes} after every message.
     */
    protected OptionalLong stateBytes(CodecSession session) {
        return OptionalLong.empty();
    }

    @AfterEach
    final void everyBufferWasReleased() {
        assertThat(allocator.metric().usedDirectMemory()).as("direct memory").isZero();
        assertThat(allocator.metric().usedHeapMemory()).as("heap buffers").isZero();
    }

    /** Returns a message with each feature that the format supports. */
    final Message sample() {
        MessageElement signed = MessageElement.ofXml("C", "<x>é</x>").withType("text/xml");
        return Message.of(
                MessageElement.ofText("A", "hi").withNamespace("jxta"),
                MessageElement.of("€", new byte[] {1, 2, 3}).withNamespace("app"),
                carriesSignatures() ? signed.withSignature(MessageElement.of("S", new byte[] {9})) : signed,
                MessageElement.of("empty", new byte[0]),
                MessageElement.of("last", "the end".getBytes(StandardCharsets.UTF_8))
                        .withNamespace("app"));
    }

    final Message assertRoundTrip(Message message) {
        return assertRoundTrip(message, LIMITS);
    }

    final Message assertRoundTrip(Message message, MessageLimits limits) {
        return assertDecodes(encode(message, limits), message, limits);
    }

    /** Takes ownership of {@code encoded}. */
    final Message assertDecodes(ByteBuf encoded, Message expected, MessageLimits limits) {
        try {
            assertThat(encoded.refCnt()).isOne();
            Message decoded = codec().newSession(limits).decode(encoded);
            assertThat(decoded).isEqualTo(expected);
            return decoded;
        } finally {
            encoded.release();
        }
    }

    final ByteBuf encode(Message message, MessageLimits limits) {
        return codec().newSession(limits).encode(message, allocator);
    }

    final Message decode(byte[] bytes, MessageLimits limits) {
        return codec().newSession(limits).decode(Unpooled.wrappedBuffer(bytes));
    }

    final byte[] encodedBytes(Message message) {
        ByteBuf encoded = encode(message, LIMITS);
        try {
            return ByteBufUtil.getBytes(encoded);
        } finally {
            encoded.release();
        }
    }

    static ThrowingConsumer<Throwable> hasCode(ErrorCode code) {
        return thrown -> {
            assertThat(thrown).isInstanceOf(ParleyException.class);
            assertThat(((ParleyException) thrown).code()).isEqualTo(code);
        };
    }
}
