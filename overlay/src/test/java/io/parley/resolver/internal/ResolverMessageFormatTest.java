package io.parley.resolver.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.common.internal.WireStatus;
import io.parley.error.ErrorCode;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.WireFormatDocument;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResolverMessageFormatTest {

    private static final Message BODY = Message.of("b", new byte[] {7});

    private final CodecSession codec = MessageCodec.binary().newSession(MessageLimits.DEFAULTS);

    @Test
    void documentedVector_isReadAndWritten() throws IOException {
        String hex = WireFormatDocument.vector("resolver-ask");
        ResolverMessage query = new ResolverMessage.QueryMessage(false, 1, "hi", 0, Duration.ofSeconds(1), BODY);
        Message read = codec.decode(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex)));
        assertThat(ResolverMessageFormat.read(read)).isEqualTo(query);
        ByteBuf written = codec.encode(ResolverMessageFormat.write(query), UnpooledByteBufAllocator.DEFAULT);
        try {
            assertThat(ByteBufUtil.hexDump(written)).isEqualTo(hex);
        } finally {
            written.release();
        }
    }

    @Test
    void messages_surviveARoundTrip() {
        List<ResolverMessage> messages = List.of(
                new ResolverMessage.QueryMessage(
                        true, Long.MIN_VALUE, "n".repeat(128), 255, Duration.ofDays(365), BODY),
                new ResolverMessage.QueryMessage(false, -1, "€", 0, Duration.ofMillis(1), Message.EMPTY),
                new ResolverMessage.ResponseMessage(3, BODY),
                new ResolverMessage.ResponseMessage(3, Message.EMPTY),
                new ResolverMessage.ErrorMessage(4, WireStatus.of(ErrorCode.BUSY, "later")));
        for (ResolverMessage message : messages) {
            assertThat(ResolverMessageFormat.read(ResolverMessageFormat.write(message)))
                    .isEqualTo(message);
        }
    }

    @Test
    void unknownHeaderElements_areIgnored_anywhere() {
        MessageElement later = MessageElement.ofText("Later", "x").withNamespace(ResolverMessageFormat.NAMESPACE);
        Message written = ResolverMessageFormat.write(new ResolverMessage.ResponseMessage(3, BODY));
        assertThat(ResolverMessageFormat.read(written.with(later)))
                .isEqualTo(new ResolverMessage.ResponseMessage(3, BODY));
    }

    @Test
    void tooManyHeaderElements_areMalformed() {
        Message full = withUnknownElements(ResolverMessageFormat.MAX_HEADER_ELEMENTS);
        assertThat(ResolverMessageFormat.read(full)).isEqualTo(new ResolverMessage.ResponseMessage(3, BODY));
        Message tooMany = withUnknownElements(ResolverMessageFormat.MAX_HEADER_ELEMENTS + 1);
        assertThatThrownBy(() -> ResolverMessageFormat.read(tooMany))
                .hasMessageContaining("more than 32 elements in the header");
    }

    /** Returns a response whose header has a number of elements. */
    private static Message withUnknownElements(int headerElements) {
        Message.Builder message =
                Message.builder().addAll(ResolverMessageFormat.write(new ResolverMessage.ResponseMessage(3, BODY)));
        for (int i = 1; i < headerElements; i++) {
            message.add(MessageElement.ofText("Later" + i, "x").withNamespace(ResolverMessageFormat.NAMESPACE));
        }
        return message.build();
    }
}
