package io.parley.encoding.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.encoding.EncodingScheme;
import io.parley.error.ErrorCode;
import io.parley.error.InvalidCallException;
import io.parley.error.PeerFaultException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ElementEncodingTest {
    private static final EncodingSchemeRegistry SCHEMES = EncodingSchemeRegistry.of(new Base64Encoding());

    private final ElementEncoder encoder = ElementEncoder.of(
            new Base64Encoding(), element -> element.namespace().equals("secret"));
    private final ElementDecoder decoder = new ElementDecoder(SCHEMES, 1000);

    @Test
    void encode_selectedElement_isMarkedAndKeepsAllButItsContent() {
        MessageElement signature = MessageElement.of("sig", new byte[] {1});
        MessageElement element =
                MessageElement.ofText("a", "hi").withNamespace("secret").withSignature(signature);
        MessageElement travelling =
                encoder.encode(Message.of(element)).elements().get(0);
        assertThat(travelling.name()).isEqualTo("~base64~a");
        assertThat(travelling.namespace()).isEqualTo("secret");
        assertThat(travelling.type()).isEqualTo(MessageElement.TYPE_TEXT);
        assertThat(travelling.signature()).isEqualTo(element.signature());
        assertThat(travelling.text()).isEqualTo("aGk=.");
        assertThat(decoder.decode(Message.of(travelling))).isEqualTo(Message.of(element));
    }

    @Test
    void encode_nothingSelected_givesTheSameMessage() {
        Message message = Message.of("a", "b");
        assertThat(encoder.encode(message)).isSameAs(message);
        assertThat(decoder.decode(message)).isSameAs(message);
    }

    @Test
    void encode_elementThatTheSchemeDoesNotAccept_staysAsItIs() {
        Message message = Message.of(MessageElement.ofText("a", "").withNamespace("secret"));
        assertThat(encoder.encode(message)).isSameAs(message);
    }

    @Test
    void encode_choiceOfSchemes_asksForEachElement() {
        EncodingScheme counting = new CountingEncoding();
        ElementEncoder choosing = new ElementEncoder(element -> switch (element.name()) {
            case "b" -> Optional.of(new Base64Encoding());
            case "c" -> Optional.of(counting);
            default -> Optional.empty();
        });
        Message message =
                Message.builder().add("b", "1").add("c", "2").add("d", "3").build();
        Message travelling = choosing.encode(message);
        assertThat(travelling).extracting(MessageElement::name).containsExactly("~base64~b", "~count~c", "d");
        ElementDecoder both = new ElementDecoder(EncodingSchemeRegistry.of(new Base64Encoding(), counting), 1000);
        assertThat(both.decode(travelling)).isEqualTo(message);
    }

    /** Tests the forms listed in docs/wire-format.md. */
    @ParameterizedTest
    @CsvSource({"a, a", "~, ~~", "~a, ~~a", "~base64~a, ~~base64~a", "~~a, ~~~a", "a~b, a~b", "'', ''"})
    void encode_elementThatStaysAsItIs_neverLooksEncoded(String name, String wireName) {
        Message message = Message.of(name, "content");
        Message travelling = encoder.encode(message);
        assertThat(travelling.elements().get(0).name()).isEqualTo(wireName);
        assertThat(decoder.decode(travelling)).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource({"a, ~base64~a", "~a, ~base64~~a", "'', ~base64~", "~base64~a, ~base64~~base64~a"})
    void encode_elementThatIsEncoded_bearsItsNameBehindTheMark(String name, String wireName) {
        Message message = Message.of(MessageElement.ofText(name, "content").withNamespace("secret"));
        Message travelling = encoder.encode(message);
        assertThat(travelling.elements().get(0).name()).isEqualTo(wireName);
        assertThat(decoder.decode(travelling)).isEqualTo(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"~", "~a", "~GZ~a", "~a b~c", "~123456789012345678901234567890123~a"})
    void decode_nameThatNoEncoderWrites_isMalformed(String name) {
        assertThatThrownBy(() -> decoder.decode(Message.of(name, "content")))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE));
    }

    @Test
    void decode_schemeThatIsNotHere_namesTheRemedy() {
        assertThatThrownBy(() -> decoder.decode(Message.of("~gz~a", "content")))
                .isInstanceOfSatisfying(
                        InvalidCallException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_COMMON_CODEC))
                .hasMessageContaining("encoding scheme gz: not found");
    }

    @Test
    void decode_contentsTogether_areBounded() {
        Message allowed = Message.builder()
                .add(MessageElement.of("a", new byte[500]).withNamespace("secret"))
                .add("b", new byte[100])
                .add(MessageElement.of("c", new byte[400]).withNamespace("secret"))
                .build();
        assertThat(decoder.decode(encoder.encode(allowed))).isEqualTo(allowed);
        Message plain = allowed.with(MessageElement.of("d", new byte[1]));
        Message encoded = allowed.with(MessageElement.of("d", new byte[1]).withNamespace("secret"));
        for (Message tooMuch : new Message[] {plain, encoded}) {
            assertThatThrownBy(() -> decoder.decode(encoder.encode(tooMuch)))
                    .isInstanceOfSatisfying(
                            PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED));
        }
    }

    @Test
    void statefulScheme_hasOneInstancePerDirectionOfAChannel() {
        EncodingScheme scheme = new CountingEncoding();
        Message message = Message.builder().add("a", "x").add("b", "x").build();
        for (int channel = 0; channel < 2; channel++) {
            ElementEncoder sender = ElementEncoder.of(scheme, element -> true);
            ElementDecoder receiver = new ElementDecoder(EncodingSchemeRegistry.of(scheme), 1000);
            for (int i = 0; i < 3; i++) {
                Message travelling = sender.encode(message);
                assertThat(travelling.elements().get(0).text())
                        .isNotEqualTo(travelling.elements().get(1).text());
                assertThat(receiver.decode(travelling)).isEqualTo(message);
            }
        }
    }
}
