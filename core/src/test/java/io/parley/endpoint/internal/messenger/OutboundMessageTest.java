package io.parley.endpoint.internal.messenger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.message.BorrowScope;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.testkit.Eventually;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that are encoded when they are queued. */
class OutboundMessageTest {

    private static final int ROUNDS = 5000;
    private static final byte[] CONTENT = new byte[100];

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final MessageEncoder encoder = new MessageEncoder(
            MessageCodec.binary(),
            MessageLimits.DEFAULTS,
            new Hello(
                    0, Identity.generate().peerId(), 1, 2, OptionalLong.empty(), List.of("binary"), 1 << 20, List.of()),
            allocator);
    private final ExecutorService other = Executors.newSingleThreadExecutor();

    @AfterEach
    void close() {
        other.shutdownNow();
    }

    private OutboundMessage encodedEarly(boolean borrowed) {
        ByteBuf memory = Unpooled.wrappedBuffer(CONTENT);
        Payload payload =
                borrowed ? Payload.borrowed(new BorrowScope(memory::release), memory.nioBuffer()) : Payload.of(CONTENT);
        OutboundMessage message = new OutboundMessage(
                Message.of(MessageElement.of("n", new byte[0]).withPayload(payload)), queued -> false);
        message.encodeEarly(encoder);
        return message;
    }

    private static ParleyException aborted() {
        return ErrorCode.CLOSED.exception("a test");
    }

    @Test
    void borrowedMessageThatHasFailed_isNotSent() {
        OutboundMessage message = encodedEarly(true);
        message.fail(aborted());
        assertThat(message.isAppendable()).isFalse(); // without its payloads
        assertThatThrownBy(() -> message.encode(encoder))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void longBorrowedMessage_whoseMemoryWasReturned_failsWithoutABuffer() {
        BorrowScope scope = new BorrowScope(() -> {});
        Payload payload = Payload.borrowed(scope, ByteBuffer.allocate(EndpointContext.FRAGMENT_BYTES + 1));
        OutboundMessage message = new OutboundMessage(
                Message.of(MessageElement.of("n", new byte[0]).withPayload(payload)), queued -> false);
        scope.end();
        message.encodeEarly(encoder);
        assertThat(message.sent()).isCompletedExceptionally();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messageThatFailsWhileItIsTakenForTheNetwork_isReleasedOnce(boolean borrowed) throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        for (int i = 0; i < ROUNDS; i++) {
            OutboundMessage message = encodedEarly(borrowed);
            Future<?> failing = other.submit(() -> {
                start.await();
                message.fail(aborted());
                return null;
            });
            start.await();
            try {
                ByteBuf taken = message.encode(encoder);
                assertThat(encoder.decode(taken.slice())).isEqualTo(Message.of("n", CONTENT));
                taken.release();
            } catch (ParleyException e) {
                assertThat(borrowed).as("the message still has its payloads").isTrue();
                assertThat(e.code()).isEqualTo(ErrorCode.CLOSED);
            }
            Eventually.get(failing, "the failure");
            message.fail(aborted());
            assertThat(allocator.metric().usedDirectMemory()).isZero();
        }
    }
}
