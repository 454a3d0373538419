package io.parley.transport.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WebSocketStreamTest {

    private final EmbeddedChannel channel = new EmbeddedChannel(new WebSocketStream());

    @AfterEach
    void release() {
        channel.finishAndReleaseAll();
    }

    @Test
    void pings_ofAPeerThatReadsNothing_takeNoMemory() {
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
        for (int i = 0; i < 10; i++) {
            PingWebSocketFrame ping = new PingWebSocketFrame(Unpooled.buffer(1).writeByte(i));
            channel.writeInbound(ping);
            assertThat(ping.refCnt()).isZero();
        }
        assertThat(channel.outboundMessages()).isEmpty();
        channel.unsafe().outboundBuffer().setUserDefinedWritability(1, true);
        channel.writeInbound(new PingWebSocketFrame(Unpooled.buffer(1).writeByte(7)));
        PongWebSocketFrame pong = channel.readOutbound();
        assertThat(pong.content().readByte()).isEqualTo((byte) 7);
        pong.release();
    }

    @Test
    void pings_ofOneRead_haveOneResponse() {
        List<PingWebSocketFrame> pings = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            PingWebSocketFrame ping = new PingWebSocketFrame(Unpooled.buffer(1).writeByte(i));
            pings.add(ping);
            channel.pipeline().fireChannelRead(ping);
        }
        assertThat(channel.outboundMessages()).isEmpty();
        channel.pipeline().fireChannelReadComplete();
        PongWebSocketFrame pong = channel.readOutbound();
        assertThat(pong.content().readByte()).isEqualTo((byte) 9);
        pong.release();
        assertThat(channel.outboundMessages()).isEmpty();
        assertThat(pings).allMatch(ping -> ping.refCnt() == 0);
    }

    private static BinaryWebSocketFrame binary(int length, int value) {
        byte[] content = new byte[length];
        Arrays.fill(content, (byte) value);
        return new BinaryWebSocketFrame(Unpooled.wrappedBuffer(content));
    }

    /** Reads what was passed on: for each buffer the values of its bytes with their counts. */
    private List<String> passedOn() {
        List<String> found = new ArrayList<>();
        for (ByteBuf next = channel.readInbound(); next != null; next = channel.readInbound()) {
            StringBuilder text = new StringBuilder();
            while (next.isReadable()) {
                byte value = next.readByte();
                int count = 1;
                while (next.isReadable() && next.getByte(next.readerIndex()) == value) {
                    next.skipBytes(1);
                    count++;
                }
                text.append(count).append('x').append(value).append(' ');
            }
            next.release();
            found.add(text.toString().strip());
        }
        return found;
    }

    @Test
    void shortMessages_ofOneRead_arePassedOnTogether_inOrder() {
        for (int value = 1; value <= 5; value++) {
            channel.pipeline().fireChannelRead(binary(value == 3 ? 5000 : value, value));
        }
        assertThat(passedOn()).containsExactly("1x1 2x2", "5000x3");
        channel.pipeline().fireChannelReadComplete();
        assertThat(passedOn()).containsExactly("4x4 5x5");
    }

    @Test
    void manyShortMessages_arePassedOnInPieces() {
        for (int i = 0; i < 10; i++) {
            channel.pipeline().fireChannelRead(binary(4000, 1));
        }
        channel.pipeline().fireChannelReadComplete();
        assertThat(passedOn()).containsExactly("16000x1", "16000x1", "8000x1");
    }

    @Test
    void shortMessage_precedesTheEnd() {
        List<Object> order = new ArrayList<>();
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                order.add("bytes");
                ((ByteBuf) message).release();
            }

            @Override
            public void channelInactive(ChannelHandlerContext context) {
                order.add("end");
            }
        });
        channel.pipeline().fireChannelRead(binary(1, 1));
        channel.pipeline().fireChannelRead(new CloseWebSocketFrame(1000, ""));
        assertThat(order).containsExactly("bytes", "end");
    }

    @Test
    void shortMessage_thatIsNotPassedOn_isReleased() {
        BinaryWebSocketFrame binary = binary(1, 1);
        PingWebSocketFrame ping = new PingWebSocketFrame(Unpooled.buffer(1).writeByte(1));
        channel.pipeline().fireChannelRead(binary);
        channel.pipeline().fireChannelRead(ping);
        channel.pipeline().remove(WebSocketStream.class);
        assertThat(binary.refCnt()).isZero();
        assertThat(ping.refCnt()).isZero();
    }

    @Test
    void manyBytes_areWrittenAsMessagesOfALimitedSize() {
        int length = 2 * WebSocketTunnel.MAX_FRAME_BYTES + 1;
        channel.writeOutbound(Unpooled.buffer(length).writeZero(length));
        List<Integer> sizes = new ArrayList<>();
        for (BinaryWebSocketFrame next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
            sizes.add(next.content().readableBytes());
            next.release();
        }
        assertThat(sizes).containsExactly(WebSocketTunnel.MAX_FRAME_BYTES, WebSocketTunnel.MAX_FRAME_BYTES, 1);
    }

    @Test
    void noBytes_areNoMessage() {
        channel.writeOutbound(Unpooled.EMPTY_BUFFER);
        ByteBuf written = channel.readOutbound();
        assertThat(written.isReadable()).isFalse();
        channel.writeInbound(new BinaryWebSocketFrame(Unpooled.EMPTY_BUFFER));
        assertThat(channel.inboundMessages()).isEmpty();
    }

    @Test
    void close_isSentOnce() {
        channel.writeInbound(new CloseWebSocketFrame(1000, "bye"));
        channel.close();
        CloseWebSocketFrame close = channel.readOutbound();
        assertThat(close.statusCode()).isEqualTo(1000);
        close.release();
        assertThat(channel.outboundMessages()).isEmpty();
    }

    @Test
    void endOfTheTlsOfTheHost_isNotTheEndOfTheTlsOfThePeers() {
        List<Object> events = new ArrayList<>();
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                events.add(event);
            }
        });
        channel.pipeline().fireUserEventTriggered(SslCloseCompletionEvent.SUCCESS);
        channel.pipeline().fireUserEventTriggered("another event");
        assertThat(events).containsExactly("another event");
    }
}
