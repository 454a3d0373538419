package io.parley.codec.xml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.codec.xml.fastinfoset.FastInfosetMessageCodec;
import io.parley.common.internal.DistinctNames;
import io.parley.error.ErrorCode;
import io.parley.error.PeerFaultException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.CollidingNames;
import io.parley.testkit.ProcessorTime;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The processor time of both XML codecs is linear in the size of a message. */
@Tag("extended")
class XmlProcessorTimeTest {

    private static final String ELEMENT = "<Element name='a' mime_type='text/plain'>";

    private final CodecSession session = Documents.session(MessageLimits.DEFAULTS);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "elements          | <Message version='0'> | <Element name='a' mime_type='text/plain'/>          | </Message>",
                "unknown attribute | <Message version='0'> | <Element name='a' mime_type='text/plain' x='1'/>    | </Message>",
                "text              | ELEMENT               | the content of a long text                          | END",
                "references        | ELEMENT               | &#x1F680;&lt;&#13;                                  | END",
                "sections          | ELEMENT               | <![CDATA[x]]>                                       | END",
                "comments          | <Message version='0'> | <!-- - -->                                          | </Message>",
                "comments in text  | ELEMENT               | x<!-- - -->                                         | END",
                "instructions      | <Message version='0'> | <?do something?>                                    | </Message>",
                "brackets          | ELEMENT               | ]] ]                                                | END"
            })
    void parts(String name, String head, String part, String tail) {
        assertLinear(
                name,
                4000,
                n -> head.replace("ELEMENT", "<Message version='0'>" + ELEMENT)
                        + part.repeat(n)
                        + tail.replace("END", "</Element></Message>"));
    }

    @Test
    void encodedContent() {
        assertLinear(
                "base64",
                10_000,
                n -> "<Message version='0'><Element name='a' mime_type='a/b' encoding='base64'>" + "AAEC\n".repeat(n)
                        + "</Element></Message>");
    }

    /** The worst names: as many of one hash as the limit allows, the last of which is used again and again. */
    @Test
    void collidingAttributes() {
        List<String> names = CollidingNames.of(DistinctNames.MAX_COLLIDING);
        StringBuilder first = new StringBuilder("<Element name='a' mime_type='text/plain'");
        names.forEach(name -> first.append(' ').append(name).append("=''"));
        String last = "<Element name='a' mime_type='text/plain' " + names.get(names.size() - 1) + "=''/>";
        assertLinear(
                "attributes of one hash",
                2000,
                n -> "<Message version='0'>" + first + "/>" + last.repeat(n) + "</Message>");
    }

    /** Without a limit for names of one hash, the parser would compare each with all others. */
    @ParameterizedTest
    @ValueSource(strings = {"attribute", "instruction"})
    void moreCollidingNames_costNoMore(String form) {
        ProcessorTime.assertLinear("rejected names of one hash", 250, n -> {
            ByteBuf encoded = collidingNames(form, n);
            return () -> catchThrowableOfType(PeerFaultException.class, () -> session.decode(encoded.duplicate()));
        });
    }

    private static ByteBuf collidingNames(String form, int count) {
        StringBuilder document = new StringBuilder("<Message version='0'>");
        for (String name : CollidingNames.of(count)) {
            document.append(
                    form.equals("attribute")
                            ? "<Element name='a' mime_type='a/b' " + name + "=''/>"
                            : "<?" + name + "?>");
        }
        return Unpooled.copiedBuffer(document + "</Message>", StandardCharsets.UTF_8);
    }

    @Test
    void moreCollidingAttributes_areRejected() {
        for (String form : List.of("attribute", "instruction")) {
            ByteBuf input = collidingNames(form, DistinctNames.MAX_COLLIDING + 1);
            assertThatThrownBy(() -> session.decode(input))
                    .isInstanceOfSatisfying(
                            PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                    .hasMessageContaining("names of one hash: more than 32");
        }
    }

    private void assertLinear(String subject, int n, IntFunction<String> documents) {
        ProcessorTime.assertLinear(subject, n, size -> {
            ByteBuf encoded = Unpooled.copiedBuffer(documents.apply(size), StandardCharsets.UTF_8);
            assertThat(session.decode(encoded.duplicate())).isNotNull();
            return () -> session.decode(encoded.duplicate());
        });
    }

    @ParameterizedTest
    @CsvSource({"names, 1", "types, 2", "texts, 3"})
    void fastInfosetMessage(String name, int kind) {
        ProcessorTime.assertLinear("Fast Infoset of " + name, 2000, n -> {
            Message.Builder message = Message.builder();
            List<String> names = CollidingNames.of(n);
            for (int i = 0; i < n; i++) {
                message.add(
                        switch (kind) {
                            case 1 -> MessageElement.ofText(names.get(i), "x");
                            case 2 -> MessageElement.ofText("a", "x").withType("a/" + names.get(i));
                            default -> MessageElement.ofText("a", names.get(i));
                        });
            }
            ByteBuf encoded = new FastInfosetMessageCodec()
                    .newSession(MessageLimits.DEFAULTS)
                    .encode(message.build(), UnpooledByteBufAllocator.DEFAULT);
            byte[] bytes = ByteBufUtil.getBytes(encoded);
            encoded.release();
            return () -> new FastInfosetMessageCodec()
                    .newSession(MessageLimits.DEFAULTS)
                    .decode(Unpooled.wrappedBuffer(bytes));
        });
    }
}
