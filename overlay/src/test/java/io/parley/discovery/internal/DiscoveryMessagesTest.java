package io.parley.discovery.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.discovery.DiscoveryQuery;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.store.ValuePattern;
import io.parley.testkit.WireFormatDocument;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class DiscoveryMessagesTest {

    private static final MessageElement OTHER = MessageElement.ofText("Later", "x");

    private final CodecSession codec = MessageCodec.binary().newSession(MessageLimits.DEFAULTS);

    @Test
    void documentedVectors_areReadAndWritten() throws IOException {
        PageRequest request = new PageRequest(DiscoveryQuery.of("jxta:PA").with("Name", "al*"), 100, 50, true);
        assertVector("discovery-question", DiscoveryMessages.request(request));
        assertThat(DiscoveryMessages.readRequest(vector("discovery-question"))).isEqualTo(request);

        IndexPage page = new IndexPage(List.of(new byte[] {1, 2, 3}), OptionalInt.of(150), 2);
        assertVector("discovery-page", DiscoveryMessages.page(page));
        IndexPage read = DiscoveryMessages.readPage(vector("discovery-page"));
        assertThat(read.documents()).containsExactly(new byte[] {1, 2, 3});
        assertThat(read.next()).hasValue(150);
        assertThat(read.hops()).isEqualTo(2);
    }

    private Message vector(String name) throws IOException {
        return codec.decode(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(WireFormatDocument.vector(name))));
    }

    private void assertVector(String name, Message message) throws IOException {
        ByteBuf written = codec.encode(message, UnpooledByteBufAllocator.DEFAULT);
        try {
            assertThat(ByteBufUtil.hexDump(written)).isEqualTo(WireFormatDocument.vector(name));
        } finally {
            written.release();
        }
    }

    @Test
    void requests_surviveARoundTrip_withUnknownElements() {
        List<PageRequest> requests = List.of(
                new PageRequest(DiscoveryQuery.any(), 0, 1, false),
                new PageRequest(DiscoveryQuery.of("€"), Integer.MAX_VALUE, Integer.MAX_VALUE, true),
                new PageRequest(DiscoveryQuery.any().with("Name", ValuePattern.exactly("a*b")), 0, 1, false),
                new PageRequest(DiscoveryQuery.any().with("Name", ValuePattern.exactly("")), 0, 1, false),
                new PageRequest(DiscoveryQuery.any().with("Name", "*a**b*"), 0, 1, false),
                new PageRequest(DiscoveryQuery.any().with("Name", ""), 0, 1, false));
        for (PageRequest request : requests) {
            Message written = DiscoveryMessages.request(request).with(OTHER);
            assertThat(DiscoveryMessages.readRequest(written)).isEqualTo(request);
            assertThat(DiscoveryMessages.readRequest(written.with(OTHER.withNamespace(DiscoveryMessages.NAMESPACE))))
                    .isEqualTo(request);
        }
    }

    @Test
    void pages_mayBeEmpty() {
        IndexPage read = DiscoveryMessages.readPage(Message.of(OTHER));
        assertThat(read.documents()).isEmpty();
        assertThat(read.next()).isEmpty();
        assertThat(read.hops()).isZero();
    }

    @Test
    void numbersOutOfRange_areRejected() {
        assertThatThrownBy(() -> new PageRequest(DiscoveryQuery.any(), -1, 1, false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("offset");
        assertThatThrownBy(() -> new PageRequest(DiscoveryQuery.any(), 0, 0, false))
                .hasMessageContaining("limit");
    }
}
