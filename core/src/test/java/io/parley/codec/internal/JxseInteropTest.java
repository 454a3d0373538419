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
import io.parley.message.Payload;
import io.parley.testkit.TestSeed;
import io.parley.testkit.codec.MessageGenerator;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.logging.Level;
import java.util.logging.Logger;
import net.jxta.document.MimeMediaType;
import net.jxta.endpoint.ByteArrayMessageElement;
import net.jxta.endpoint.StringMessageElement;
import net.jxta.endpoint.WireFormatMessage;
import net.jxta.endpoint.WireFormatMessageFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the interoperability with the JXSE 2.5 library: both of its readers decode the output of Parley, and Parley decodes
 * its output. Limited to messages that the library supports: 1 to 32767 elements.
 */
final class JxseInteropTest {
    private static final MimeMediaType WIRE_TYPE = new MimeMediaType(BinaryMessageCodec.CONTENT_TYPE);

    /** A strong reference, because the JDK holds loggers by weak references. */
    private static final Logger JXTA_LOGGER = Logger.getLogger("net.jxta");

    private final CodecSession session = new BinaryMessageCodec().newSession(MessageLimits.DEFAULTS);

    @BeforeAll
    static void silenceTheLibrary() {
        JXTA_LOGGER.setLevel(Level.OFF);
    }

    @Test
    void threeElements() throws IOException {
        assertInterop(BinaryGoldenBytesTest.THREE_ELEMENTS);
    }

    @Test
    void textElement_ofTheLibrarysOwnKind_givesEqualBytes() throws IOException {
        net.jxta.endpoint.Message theirs = new net.jxta.endpoint.Message();
        theirs.addMessageElement("ns", new StringMessageElement("näme", "Grüße, 世界 \uD83D\uDE80", null));
        Message ours = Message.of(
                MessageElement.ofText("näme", "Grüße, 世界 \uD83D\uDE80").withNamespace("ns"));
        assertThat(ByteBufUtil.hexDump(toWire(theirs))).isEqualTo(ByteBufUtil.hexDump(encode(ours)));
    }

    @Test
    void textElement_inACharsetWithAJavaName_isReadAsText() throws IOException {
        net.jxta.endpoint.Message theirs = new net.jxta.endpoint.Message();
        theirs.addMessageElement("", new StringMessageElement("latin", "Grüße", "ISO8859_1", null));
        MessageElement element = decode(toWire(theirs)).element("latin").orElseThrow();
        assertThat(element.type()).isEqualTo("text/plain;charset=ISO8859_1");
        assertThat(element.text()).isEqualTo("Grüße");
    }

    @ParameterizedTest
    @ValueSource(longs = {31, 32, 33})
    void anyMessage(long variant) throws IOException {
        long seed = Long.getLong(TestSeed.PROPERTY, variant);
        MessageGenerator messages = new MessageGenerator(seed, true);
        for (int i = 0; i < 200; i++) {
            Message message = messages.next(12);
            if (!message.isEmpty()) {
                assertInterop(message);
            }
        }
    }

    @Test
    void unicodeNames() throws IOException {
        assertInterop(Message.of(
                MessageElement.ofText("名前\uD83D\uDE80", "x").withNamespace("простір"),
                MessageElement.ofText("\u0000\u0001", "y"),
                MessageElement.ofText("", "z")));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_535, 65_536, 1_000_000, 20_000_000})
    void contentOfEverySize(int size) throws IOException {
        byte[] content = new byte[size];
        new Random(size).nextBytes(content);
        assertInterop(Message.builder()
                .add("before", "a")
                .add("n", content)
                .add("after", "")
                .build());
    }

    @ParameterizedTest
    @ValueSource(ints = {5_000, 32_767})
    void manyElements(int count) throws IOException {
        List<MessageElement> elements = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            elements.add(MessageElement.ofText("n" + i, "content " + i));
        }
        assertInterop(Message.of(elements));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 253})
    void manyNamespaces(int count) throws IOException {
        List<MessageElement> elements = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            elements.add(MessageElement.of("n", new byte[] {(byte) i}).withNamespace("ns" + i));
        }
        assertInterop(Message.of(elements));
    }

    @Test
    void longNames() throws IOException {
        CodecSession wide = new BinaryMessageCodec()
                .newSession(
                        MessageLimits.DEFAULTS.toBuilder().maxNameBytes(32_767).build());
        Message message = Message.of("n".repeat(32_767), "content");
        ByteBuf encoded = wide.encode(message, UnpooledByteBufAllocator.DEFAULT);
        byte[] bytes = ByteBufUtil.getBytes(encoded);
        encoded.release();
        assertThat(ours(readStream(bytes))).isEqualTo(message);
        assertThat(ours(readBuffer(bytes))).isEqualTo(message);
    }

    @Test
    void duplicates() throws IOException {
        assertInterop(Message.of(
                Collections.nCopies(3, MessageElement.ofXml("n", "<x/>").withNamespace("jxta"))));
    }

    /** Tests both directions with both readers of the library. */
    private void assertInterop(Message original) throws IOException {
        byte[] sent = encode(original);
        assertThat(sent[4]).isZero();
        // The library does not preserve the spelling of a type, for example blanks before parameters.
        Message message = withTypesAsItSpellsThem(original);
        assertThat(ours(readStream(sent))).as("our bytes in its stream reader").isEqualTo(message);
        assertThat(ours(readBuffer(sent))).as("our bytes in its buffer reader").isEqualTo(message);
        byte[] bytes = encode(message);
        byte[] itsBytes = toWire(theirs(message));
        assertThat(decode(itsBytes)).as("its bytes").isEqualTo(message);
        assertThat(itsBytes).hasSameSizeAs(bytes);
        if (message.elements().stream()
                        .map(MessageElement::namespace)
                        .distinct()
                        .count()
                <= 1) {
            // The library lists namespaces in the order of a hash table, Parley in the order of their first use.
            assertThat(itsBytes).isEqualTo(bytes);
        }
    }

    private static Message withTypesAsItSpellsThem(Message message) {
        return ours(theirs(message));
    }

    private byte[] encode(Message message) {
        ByteBuf encoded = session.encode(message, UnpooledByteBufAllocator.DEFAULT);
        try {
            return ByteBufUtil.getBytes(encoded);
        } finally {
            encoded.release();
        }
    }

    private Message decode(byte[] bytes) {
        return session.decode(Unpooled.wrappedBuffer(bytes));
    }

    private static net.jxta.endpoint.Message readStream(byte[] bytes) throws IOException {
        return WireFormatMessageFactory.fromWire(new ByteArrayInputStream(bytes), WIRE_TYPE, null);
    }

    private static net.jxta.endpoint.Message readBuffer(byte[] bytes) throws IOException {
        return WireFormatMessageFactory.fromBuffer(ByteBuffer.wrap(bytes), WIRE_TYPE, null);
    }

    private static byte[] toWire(net.jxta.endpoint.Message message) throws IOException {
        WireFormatMessage wire = WireFormatMessageFactory.toWire(message, WIRE_TYPE, null);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        wire.sendToStream(bytes);
        return bytes.toByteArray();
    }

    private static net.jxta.endpoint.Message theirs(Message message) {
        net.jxta.endpoint.Message theirs = new net.jxta.endpoint.Message();
        for (MessageElement element : message) {
            MessageElement signature = element.signature().orElse(null);
            theirs.addMessageElement(
                    element.namespace(), theirs(element, signature == null ? null : theirs(signature, null)));
        }
        return theirs;
    }

    private static net.jxta.endpoint.MessageElement theirs(
            MessageElement element, net.jxta.endpoint.@Nullable MessageElement signature) {
        MimeMediaType type = new MimeMediaType(element.type());
        return new ByteArrayMessageElement(element.name(), type, element.toByteArray(), signature);
    }

    private static Message ours(net.jxta.endpoint.Message theirs) {
        Message.Builder ours = Message.builder();
        net.jxta.endpoint.Message.ElementIterator elements = theirs.getMessageElements();
        while (elements.hasNext()) {
            net.jxta.endpoint.MessageElement element = elements.next();
            net.jxta.endpoint.MessageElement signature = element.getSignature();
            MessageElement converted = ours(elements.getNamespace(), element);
            ours.add(signature == null ? converted : converted.withSignature(ours(elements.getNamespace(), signature)));
        }
        return ours.build();
    }

    private static MessageElement ours(String namespace, net.jxta.endpoint.MessageElement element) {
        String type = element.getMimeType().toString();
        return MessageElement.of(namespace, element.getElementName(), type, Payload.of(element.getBytes(true)));
    }
}
