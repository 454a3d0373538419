package io.parley.pipes.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.pipes.internal.request.RequestFormat.Kind;
import io.parley.pipes.internal.request.RequestFormat.RequestHeader;
import io.parley.pipes.internal.request.RequestFormat.ResponseHeader;
import io.parley.testkit.TestSeed;
import io.parley.testkit.WireFormatDocument;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The bytes of the headers of requests and responses. */
class RequestFormatTest {

    private static final Message BODY = Message.of("b", new byte[] {7});

    private static String hex(Message message) {
        ByteBuf written = MessageCodec.binary()
                .newSession(MessageLimits.DEFAULTS)
                .encode(message, UnpooledByteBufAllocator.DEFAULT);
        try {
            return ByteBufUtil.hexDump(written);
        } finally {
            written.release();
        }
    }

    @Test
    void vectors_areWritten() throws Exception {
        assertThat(hex(RequestFormat.request(BODY, 0, 300, Duration.ofSeconds(5), 1)))
                .isEqualTo(WireFormatDocument.vector("pipe-request"));
        assertThat(hex(RequestFormat.request(BODY, 0, 300, Duration.ofSeconds(5), 2)))
                .isEqualTo(WireFormatDocument.vector("pipe-request-again"));
        assertThat(hex(RequestFormat.response(BODY, 300))).isEqualTo(WireFormatDocument.vector("pipe-response"));
        assertThat(hex(RequestFormat.error(300, Kind.APPLICATION_ERROR, -2, "no")))
                .isEqualTo(WireFormatDocument.vector("pipe-error"));
    }

    @Test
    void headers_ofAllNumbers_areReadAsWritten() {
        for (long id : new long[] {0, 1, 127, 128, 1L << 40, Long.MAX_VALUE}) {
            Message request = RequestFormat.request(BODY, 63, id, Duration.ofDays(365), 1);
            assertThat(RequestFormat.requestHeader(request))
                    .isEqualTo(new RequestHeader(63, id, Duration.ofDays(365).toMillis(), 1));
            for (int attempt : new int[] {2, 128, Integer.MAX_VALUE}) {
                assertThat(RequestFormat.requestHeader(
                                RequestFormat.request(BODY, 63, id, Duration.ofSeconds(1), attempt)))
                        .isEqualTo(new RequestHeader(63, id, 1000, attempt));
            }
            assertThat(RequestFormat.withoutHeader(request)).isEqualTo(BODY);
            assertThat(RequestFormat.responseHeader(RequestFormat.response(BODY, id)))
                    .isEqualTo(new ResponseHeader(id, Kind.MESSAGE, 0, ""));
            for (int code : new int[] {0, -1, 1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
                assertThat(RequestFormat.responseHeader(
                                RequestFormat.error(id, Kind.APPLICATION_ERROR, code, "\u00fc")))
                        .isEqualTo(new ResponseHeader(id, Kind.APPLICATION_ERROR, code, "\u00fc"));
            }
        }
    }

    @Test
    void longText_isCutBetweenCharacters() {
        Message error = RequestFormat.error(1, Kind.SERVICE_ERROR, 7, "x" + "\u00fc".repeat(2000));
        ResponseHeader header = RequestFormat.responseHeader(error);
        assertThat(header).isNotNull();
        assertThat(header.text()).isEqualTo("x" + "\u00fc".repeat((RequestFormat.MAX_TEXT_BYTES - 1) / 2));
    }

    @Test
    void inboxAboveTheLimit_isMalformed() {
        assertThat(RequestFormat.requestHeader(RequestFormat.request(BODY, 63, 1, Duration.ofSeconds(1), 1)))
                .isNotNull();
        assertThat(RequestFormat.requestHeader(RequestFormat.request(BODY, 64, 1, Duration.ofSeconds(1), 1)))
                .isNull();
    }

    @Test
    void attempt_outOfRange_isTheNextOne_andAMalformedOneIsTheFirst() {
        for (byte[] end : new byte[][] {{0}, {(byte) 0x80}, {}}) {
            assertThat(attempt(end)).isEqualTo(1);
        }
        assertThat(attempt(new byte[] {-1, -1, -1, -1, -1, -1, -1, 1})).isEqualTo(Integer.MAX_VALUE);
        assertThat(attempt(new byte[] {3, 9, 9})).isEqualTo(3);
    }

    private static int attempt(byte[] end) {
        byte[] header = ByteBufUtil.decodeHexDump("000105" + ByteBufUtil.hexDump(end));
        RequestHeader read = RequestFormat.requestHeader(
                Message.of(MessageElement.of("Request", header).withNamespace(RequestFormat.NAMESPACE)));
        assertThat(read).isNotNull();
        return read.attempt();
    }

    @Test
    void headerInAnotherPlace_isNone() {
        Message notLast = Message.builder()
                .addAll(RequestFormat.request(Message.EMPTY, 0, 1, Duration.ofSeconds(1), 1))
                .addAll(BODY)
                .build();
        assertThat(RequestFormat.hasHeader(notLast)).isFalse();
        assertThat(RequestFormat.requestHeader(notLast)).isNull();
        assertThat(RequestFormat.responseHeader(notLast)).isNull();
        assertThat(RequestFormat.hasHeader(Message.EMPTY)).isFalse();
    }

    @Test
    void randomHeaders_areReadOrMalformed_neverFail() {
        Random random = TestSeed.random("random headers");
        for (int i = 0; i < 20_000; i++) {
            byte[] header = new byte[random.nextInt(12)];
            random.nextBytes(header);
            for (String name : new String[] {"Request", "Response"}) {
                Message message = Message.of(MessageElement.of(name, header).withNamespace(RequestFormat.NAMESPACE));
                RequestFormat.requestHeader(message);
                RequestFormat.responseHeader(message);
            }
        }
    }
}
