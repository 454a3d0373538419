package io.parley.codec.xml.fastinfoset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.error.InvalidCallException;
import io.parley.error.PeerFaultException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.TestSeed;
import io.parley.testkit.codec.MessageCodecContractTest;
import io.parley.testkit.codec.MessageGenerator;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the contract suite for Fast Infoset, and tests the additional properties of the format. */
final class FastInfosetMessageCodecTest extends MessageCodecContractTest {
    private static final Message PRICE = Message.of(MessageElement.ofXml("price", "<price>100</price>"));

    @TempDir
    private Path directory;

    @Override
    protected MessageCodec codec() {
        return new FastInfosetMessageCodec();
    }

    @Override
    protected boolean carriesSignatures() {
        return false;
    }

    // -- sessions

    @Test
    void encode_firstMessageOfASession_isADocument() {
        assertThat(Sessions.isDocument(Sessions.encode(Sessions.open(), PRICE))).isTrue();
    }

    @Test
    void encode_repeatedMessage_takesTwoOctetsPerString() {
        CodecSession session = Sessions.open();
        Sessions.encode(session, PRICE);
        Sessions.encode(session, PRICE);
        // properties; Message and version and their end; Element, name, mime_type and their end; content; ends
        assertThat(Sessions.encode(session, PRICE)).hasSize(1 + 4 + 6 + 1 + 2);
    }

    /** Cached starts of messages and elements are not parsed again, so they must not match different ones. */
    @Test
    void roundTrip_messagesThatDifferInOnePart_areDistinguished() {
        CodecSession encoder = Sessions.open();
        CodecSession decoder = Sessions.open();
        for (int i = 0; i < 2000; i++) {
            MessageElement element = i % 2 == 0
                    ? MessageElement.ofText("n" + i / 2 % 5, "x".repeat(i / 10 % 4))
                    : MessageElement.of("n" + i / 2 % 5, new byte[i / 10 % 4]);
            Message message = i % 7 == 0
                    ? Message.EMPTY
                    : Message.of(element.withNamespace(i / 20 % 3 == 0 ? "" : "ns" + i / 20 % 3), element);
            assertThat(Sessions.decode(decoder, Sessions.encode(encoder, message)))
                    .as("message %d", i)
                    .isEqualTo(message);
        }
    }

    @Test
    void roundTrip_hundredsOfMessages_continueTheTables() {
        long seed = TestSeed.next("FastInfosetMessageCodecTest, round trips");
        MessageGenerator messages = new MessageGenerator(seed, false);
        CodecSession encoder = Sessions.open();
        CodecSession decoder = Sessions.open();
        int documents = 0;
        for (int i = 0; i < 800; i++) {
            Message message = messages.next(12);
            byte[] encoded = Sessions.encode(encoder, message);
            documents += Sessions.isDocument(encoded) ? 1 : 0;
            assertThat(Sessions.decode(decoder, encoded))
                    .as("seed %d, message %d", seed, i)
                    .isEqualTo(message);
        }
        assertThat(documents).isOne();
    }

    @Test
    void decode_messageOfAnotherSession_isMalformed() {
        CodecSession encoder = Sessions.open();
        Sessions.encode(encoder, PRICE);
        byte[] second = Sessions.encode(encoder, PRICE);
        assertThatThrownBy(() -> Sessions.decode(Sessions.open(), second))
                .isInstanceOf(PeerFaultException.class)
                .hasMessageContaining("no header");
    }

    @Test
    void decode_documentInTheMiddle_replacesTheTables() {
        CodecSession decoder = Sessions.open();
        CodecSession first = Sessions.open();
        CodecSession second = Sessions.open();
        Message other = Message.of("other", "text");
        assertThat(Sessions.decode(decoder, Sessions.encode(first, PRICE))).isEqualTo(PRICE);
        assertThat(Sessions.decode(decoder, Sessions.encode(second, other))).isEqualTo(other);
        assertThat(Sessions.decode(decoder, Sessions.encode(second, PRICE))).isEqualTo(PRICE);
        assertThat(Sessions.decode(decoder, Sessions.encode(second, PRICE))).isEqualTo(PRICE);
        byte[] ofFirst = Sessions.encode(
                first, Message.builder().add("a", "b").add("c", "d").build());
        assertThat(Sessions.isDocument(ofFirst)).isFalse();
    }

    @Test
    void decode_afterAFailure_acceptsOnlyADocument() {
        CodecSession encoder = Sessions.open();
        CodecSession decoder = Sessions.open();
        Sessions.decode(decoder, Sessions.encode(encoder, PRICE));
        byte[] good = Sessions.encode(encoder, PRICE);
        byte[] cut = Arrays.copyOf(good, good.length - 1);
        assertThatThrownBy(() -> Sessions.decode(decoder, cut)).isInstanceOf(PeerFaultException.class);
        assertThatThrownBy(() -> Sessions.decode(decoder, good)).hasMessageContaining("no header");
    }

    // -- failed messages do not change the tables

    @Test
    void encode_afterAFailure_continuesThePreviousTables() throws Exception {
        CodecSession encoder = Sessions.open();
        CodecSession control = Sessions.open();
        CodecSession decoder = Sessions.open();
        Path file = Files.write(directory.resolve("file"), new byte[10]);
        List<MessageElement> elements = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            elements.add(MessageElement.ofText("new" + i % 30, "some content " + i % 30));
        }
        elements.add(MessageElement.of("bytes", new byte[] {1, 2, 3}));
        elements.add(MessageElement.ofFile("file", file));
        Files.delete(file);
        Message failing = Message.of(elements);
        for (int i = 0; i < 6; i++) {
            Message good =
                    Message.builder().add("n", "content " + i / 2).add("m", "x").build();
            byte[] encoded = Sessions.encode(encoder, good);
            assertThat(Sessions.isDocument(encoded)).isEqualTo(i == 0);
            assertThat(Sessions.decode(decoder, encoded)).isEqualTo(good);
            assertThat(encoded).hasSameSizeAs(Sessions.encode(control, good));
            assertThatThrownBy(() -> Sessions.encode(encoder, failing)).isInstanceOf(InvalidCallException.class);
        }
        Message known = Message.of("new1", "some content 1");
        assertThat(Sessions.decode(decoder, Sessions.encode(encoder, known))).isEqualTo(known);
    }

    @Test
    void encode_firstMessageFails_nextIsTheDocument() {
        CodecSession encoder = Sessions.open(
                MessageLimits.DEFAULTS.toBuilder().maxMessageBytes(150).build());
        assertThatThrownBy(() -> Sessions.encode(encoder, Message.of("n", "x".repeat(200))))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("maxMessageBytes 150");
        byte[] encoded = Sessions.encode(encoder, PRICE);
        assertThat(Sessions.decode(Sessions.open(), encoded)).isEqualTo(PRICE);
    }

    // -- copies

    @Test
    void encode_smallMessage_isOneDirectBufferOfTheExactSize() {
        ByteBuf encoded = Sessions.open().encode(Message.of("n", new byte[60_000]), UnpooledByteBufAllocator.DEFAULT);
        assertThat(encoded).isNotInstanceOf(CompositeByteBuf.class);
        assertThat(encoded.isDirect()).isTrue();
        assertThat(encoded.capacity()).isEqualTo(encoded.readableBytes());
        encoded.release();
    }

    @Test
    void encode_largeMessage_copiesNoLargeContent() {
        UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
        byte[] content = new byte[1 << 20];
        Message message = Message.builder()
                .add("a", content)
                .add("small", "text")
                .add("b", content)
                .build();
        ByteBuf encoded = Sessions.open().encode(message, allocator);
        assertThat(allocator.metric().usedDirectMemory()).isLessThan(300);
        encoded.release();
        assertThat(allocator.metric().usedDirectMemory()).isZero();
    }

    @Test
    void decode_heapBuffer_copiesNoContentOutsideTheTables() {
        byte[] encoded = Sessions.encode(
                Sessions.open(),
                Message.builder().add("a", "text").add("b", new byte[100]).build());
        assertThat(Sessions.decode(Sessions.open(), encoded).elements())
                .allSatisfy(element -> assertThat(element.payload().array()).isSameAs(encoded));
    }

    @Test
    void decode_contentInATable_doesNotRetainTheMessage() {
        CodecSession encoder = Sessions.open();
        CodecSession decoder = Sessions.open();
        Message message = Message.builder()
                .add("a", "again")
                .add("b", "again")
                .add("c", new byte[100_000])
                .build();
        Message decoded = Sessions.decode(decoder, Sessions.encode(encoder, message));
        assertThat(decoded.elements().get(1).payload().array()).hasSize("again".length());
    }
}
