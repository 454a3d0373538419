package io.parley.encoding.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.encoding.EncodingScheme;
import io.parley.error.ErrorCode;
import io.parley.error.InvalidCallException;
import io.parley.error.PeerFaultException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ElementEncodingTest {
    private static final List<EncodingScheme> BASE64 = List.of(new Base64Encoding());
    private static final List<EncodingScheme> BOTH = List.of(new Base64Encoding(), new CountingEncoding());

    private final TestEncoder encoder = new TestEncoder(
            new ElementEncoder(BASE64, position()),
            element -> element.namespace().equals("secret"));
    private final ElementDecoder decoder = new ElementDecoder(BASE64, position(), 1000);

    private static ChannelPosition position() {
        byte[] id = new byte[PeerId.BYTES];
        return new ChannelPosition(PeerId.ofBytes(id), PeerId.ofBytes(id), "pipe", "p");
    }

    /** Encodes selected elements. */
    private record TestEncoder(ElementEncoder encoder, Predicate<MessageElement> selector) {

        Message encode(Message message, long number) {
            return encoder.encode(message, ElementEncoder.select(message, selector), number);
        }
    }

    private static TestEncoder encoder(List<EncodingScheme> schemes) {
        return new TestEncoder(new ElementEncoder(schemes, position()), element -> true);
    }

    @Test
    void encode_selectedElement_isMarkedAndKeepsAllButItsContent() {
        MessageElement signature = MessageElement.of("sig", new byte[] {1});
        MessageElement element =
                MessageElement.ofText("a", "hi").withNamespace("secret").withSignature(signature);
        MessageElement travelling =
                encoder.encode(Message.of(element), 0).elements().get(0);
        assertThat(travelling.name()).isEqualTo("~base64~a");
        assertThat(travelling.namespace()).isEqualTo("secret");
        assertThat(travelling.type()).isEqualTo(MessageElement.TYPE_TEXT);
        assertThat(travelling.signature()).isEqualTo(element.signature());
        assertThat(travelling.text()).isEqualTo("aGk=.");
        assertThat(decoder.decode(Message.of(travelling), 0, new UnlimitedElementMemory()))
                .isEqualTo(Message.of(element));
    }

    @Test
    void encode_nothingSelected_givesTheSameMessage() {
        Message message = Message.of("a", "b");
        assertThat(encoder.encode(message, 0)).isSameAs(message);
        assertThat(decoder.decode(message, 0, new UnlimitedElementMemory())).isSameAs(message);
    }

    @Test
    void encode_elementThatTheSchemeDoesNotAccept_staysAsItIs() {
        Message message = Message.of(MessageElement.ofText("a", "").withNamespace("secret"));
        assertThat(encoder.encode(message, 0)).isSameAs(message);
    }

    @Test
    void encode_twoSchemes_marksNest() {
        Message message = Message.builder()
                .add("b", "1")
                .add("~base64~c", "2")
                .add("d", "")
                .build();
        Message travelling = encoder(BOTH).encode(message, 0);
        assertThat(travelling)
                .extracting(MessageElement::name)
                .containsExactly("~+count~~base64~b", "~count~~base64~~~base64~c", "~count~d");
        ElementDecoder both = new ElementDecoder(BOTH, position(), 1000);
        assertThat(both.decode(travelling, 0, new UnlimitedElementMemory())).isEqualTo(message);
    }

    @Test
    void encode_requiredSchemeThatDoesNotEncode_fails() {
        EncodingScheme required = new Base64Encoding() {
            @Override
            public boolean isRequired() {
                return true;
            }
        };
        assertThatThrownBy(() -> encoder(List.of(required)).encode(Message.of("a", ""), 0))
                .isInstanceOfSatisfying(
                        InvalidCallException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_ENCODABLE));
    }

    @Test
    void decode_twoMarksOfOneScheme_areMalformed() {
        assertMalformed(decoder, "~base64~~base64~a", "encoded twice by base64");
        ElementDecoder three = new ElementDecoder(
                List.of(new FaultyScheme("x", 8), new FaultyScheme("y", 8), new Base64Encoding()), position(), 1000);
        assertMalformed(three, "~x~~y~~x~a", "encoded twice by x");
    }

    @Test
    void decode_stateThatDoesNotBegin_isMalformed() {
        assertMalformed(new ElementDecoder(BOTH, position(), 1000), "~count~a", "without the state");
    }

    @Test
    void decode_startOfASchemeWithoutState_isMalformed() {
        assertMalformed(decoder, "~+base64~a", "no state");
    }

    /** A remote peer selects the names, and nothing charges what a channel keeps of them. */
    @Test
    void decode_longName_isNotKept() {
        WeakReference<String> longName = new WeakReference<>(decodedName(1000));
        for (int i = 0; i < 10 && longName.get() != null; i++) {
            System.gc();
        }
        assertThat(longName.get()).isNull();
        WeakReference<String> shortName = new WeakReference<>(decodedName(10));
        System.gc();
        assertThat(shortName.get()).as("a name that the decoder keeps").isNotNull();
        assertThat(decoder.isStateless()).isTrue(); // which is alive until here
    }

    /** Decodes an element with a name of about that many characters, and returns that name. */
    private String decodedName(int chars) {
        String name = "~base64~" + "x".repeat(chars);
        MessageElement element = MessageElement.ofText(name, "aGk=.");
        decoder.decode(Message.of(element), 0, new UnlimitedElementMemory());
        return element.name();
    }

    private static void assertMalformed(ElementDecoder decoder, String name, String text) {
        Message message = Message.of(name, "Y29udGVudA==.");
        assertThatThrownBy(() -> decoder.decode(message, 0, new UnlimitedElementMemory()))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE))
                .hasMessageContaining(text);
    }

    @Test
    void decode_afterAFailure_continuesWhereTheStateBegins() {
        ElementDecoder both = new ElementDecoder(BOTH, position(), 1000);
        TestEncoder sender = encoder(BOTH);
        both.decode(sender.encode(Message.of("a", "1"), 0), 0, new UnlimitedElementMemory());
        Message lost = sender.encode(Message.of("a", "2"), 1);
        assertMalformed(both, "~gz~a", "not agreed");
        assertThatThrownBy(() -> both.decode(lost, 2, new UnlimitedElementMemory()))
                .hasMessageContaining("without the state");
        Message next = Message.of("a", "3");
        assertThat(both.decode(encoder(BOTH).encode(next, 3), 3, new UnlimitedElementMemory()))
                .isEqualTo(next);
    }

    /** Tests the forms listed in docs/wire-format.md. */
    @ParameterizedTest
    @CsvSource({"a, a", "~, ~~", "~a, ~~a", "~base64~a, ~~base64~a", "~~a, ~~~a", "~+a, ~~+a", "a~b, a~b", "'', ''"})
    void encode_elementThatStaysAsItIs_neverLooksEncoded(String name, String wireName) {
        Message message = Message.of(name, "content");
        Message travelling = encoder.encode(message, 0);
        assertThat(travelling.elements().get(0).name()).isEqualTo(wireName);
        assertThat(decoder.decode(travelling, 0, new UnlimitedElementMemory())).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource({"a, ~base64~a", "~a, ~base64~~~a", "'', ~base64~", "~base64~a, ~base64~~~base64~a"})
    void encode_elementThatIsEncoded_bearsItsNameBehindTheMark(String name, String wireName) {
        Message message = Message.of(MessageElement.ofText(name, "content").withNamespace("secret"));
        Message travelling = encoder.encode(message, 0);
        assertThat(travelling.elements().get(0).name()).isEqualTo(wireName);
        assertThat(decoder.decode(travelling, 0, new UnlimitedElementMemory())).isEqualTo(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "~",
                "~a",
                "~GZ~a",
                "~a b~c",
                "~+~a",
                "~+",
                "~++base64~a",
                "~gz~a",
                "~123456789012345678901234567890123~a"
            })
    void decode_nameThatNoEncoderWrites_isMalformed(String name) {
        assertThatThrownBy(() -> decoder.decode(Message.of(name, "content"), 0, new UnlimitedElementMemory()))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE));
    }

    @Test
    void decode_contentsTogether_areBounded() {
        Message allowed = Message.builder()
                .add(MessageElement.of("a", new byte[500]).withNamespace("secret"))
                .add("b", new byte[100])
                .add(MessageElement.of("c", new byte[400]).withNamespace("secret"))
                .build();
        assertThat(decoder.decode(encoder.encode(allowed, 0), 0, new UnlimitedElementMemory()))
                .isEqualTo(allowed);
        Message plain = allowed.with(MessageElement.of("d", new byte[1]));
        Message encoded = allowed.with(MessageElement.of("d", new byte[1]).withNamespace("secret"));
        for (Message tooMuch : new Message[] {plain, encoded}) {
            assertThatThrownBy(() -> decoder.decode(encoder.encode(tooMuch, 0), 0, new UnlimitedElementMemory()))
                    .isInstanceOfSatisfying(
                            PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED));
        }
    }

    /** Decodes to contents of a given size, whatever the limit, as a faulty scheme does. */
    private static class FaultyScheme implements EncodingScheme {

        private final String name;
        private final int decodedBytes;

        FaultyScheme(String name, int decodedBytes) {
            this.name = name;
            this.decodedBytes = decodedBytes;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public boolean accepts(MessageElement element) {
            return true;
        }

        @Override
        public Optional<Payload> encode(MessageElement element) {
            return Optional.empty();
        }

        @Override
        public Payload decode(MessageElement element, long maxBytes) {
            return Payload.of(new byte[decodedBytes]);
        }
    }

    @Test
    void decode_contentBetweenTwoSchemes_isBounded_thoughTheLastOneIsSmall() {
        for (int between : new int[] {1000, 1001}) {
            ElementDecoder stacked = new ElementDecoder(
                    List.of(new FaultyScheme("small", 1), new FaultyScheme("large", between)), position(), 1000);
            Message message = Message.of("~large~~small~a", "x");
            if (between == 1000) {
                assertThat(stacked.decode(message, 0, new UnlimitedElementMemory())
                                .payloadBytes())
                        .isEqualTo(1);
            } else {
                assertThatThrownBy(() -> stacked.decode(message, 0, new UnlimitedElementMemory()))
                        .isInstanceOfSatisfying(
                                PeerFaultException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                        .hasMessageContaining("decoded content: 1001 bytes");
            }
        }
    }

    @Test
    void decode_contentsBetweenSchemes_ofAllElementsOfAMessage_areBounded() {
        List<Integer> decoded = new ArrayList<>();
        EncodingScheme inflating = new FaultyScheme("large", 600) {
            @Override
            public Payload decode(MessageElement element, long maxBytes) {
                decoded.add((int) maxBytes);
                if (maxBytes < 600) {
                    throw ErrorCode.LIMIT_EXCEEDED.exception("large: 600 bytes (expected: <= " + maxBytes + ")");
                }
                return super.decode(element, maxBytes);
            }
        };
        ElementDecoder stacked = new ElementDecoder(List.of(new FaultyScheme("none", 0), inflating), position(), 1000);
        Message.Builder message = Message.builder();
        for (int i = 0; i < 1000; i++) {
            message.add("~large~~none~a", "x");
        }
        assertThatThrownBy(() -> stacked.decode(message.build(), 0, new UnlimitedElementMemory()))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED));
        assertThat(decoded).containsExactly(1000, 400);
    }

    @Test
    void decode_contentsOfTheLargestMessage_threeSchemesOfEqualSizes_areRestored() {
        List<EncodingScheme> schemes =
                List.of(new FaultyScheme("x", 500), new FaultyScheme("y", 500), new FaultyScheme("z", 500));
        ElementDecoder stacked = new ElementDecoder(schemes, position(), 1000);
        Message message =
                Message.builder().add("~x~~y~~z~a", "x").add("~x~~y~~z~b", "x").build();
        UnlimitedElementMemory memory = new UnlimitedElementMemory();
        assertThat(stacked.decode(message, 0, memory).payloadBytes()).isEqualTo(1000);
        assertThat(memory.reserved()).isEqualTo(1000);
    }

    @Test
    void statefulScheme_hasOneInstancePerDirectionOfAChannel() {
        EncodingScheme scheme = new CountingEncoding();
        Message message = Message.builder().add("a", "x").add("b", "x").build();
        for (int channel = 0; channel < 2; channel++) {
            TestEncoder sender = encoder(List.of(scheme));
            ElementDecoder receiver = new ElementDecoder(List.of(scheme), position(), 1000);
            for (int i = 0; i < 3; i++) {
                Message travelling = sender.encode(message, i);
                assertThat(travelling.elements().get(0).text())
                        .isNotEqualTo(travelling.elements().get(1).text());
                assertThat(receiver.decode(travelling, i, new UnlimitedElementMemory()))
                        .isEqualTo(message);
            }
        }
    }
}
