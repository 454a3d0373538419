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
