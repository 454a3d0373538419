package io.parley.testkit.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.error.ErrorCode;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The tests of strings and texts that some formats cannot represent. A codec may reject such a name, but must not replace
 * it by another name. Payloads are bytes and must always arrive unchanged.
 */
abstract class CodecTextContract extends CodecContract {
    /** A part of each name, which the exceptions must contain so that the element can be identified. */
    private static final String MARK = "odd";

    /** Returns strings with characters that XML cannot represent, gives a special meaning, or normalizes. */
    static Stream<String> oddStrings() {
        Stream<String> characters = Stream.of(
                "\u0000",
                "\u0001",
                "\u0008",
                "\u001B",
                "\u001F",
                "\u007F",
                "\u0085",
                "\u2028",
                "\uFEFF",
                "\uFFFE",
                "\uFFFF",
                "\uD83F\uDFFE",
                "\t",
                "\n",
                "\r",
                "\r\n",
                " ",
                "  ",
                ":",
                "&",
                "&#1;",
                "]]>");
        return Stream.concat(
                characters.flatMap(c -> Stream.of(MARK + c, MARK + c + "name", MARK + c + MARK + c)),
                Stream.of("\u0000", "\u0001", "\t", "\n", "\r", "\r\n", " ", "  ", ":", "\uFFFE", "\uFEFF")
                        .flatMap(c -> Stream.of(c, c + MARK)));
    }

    @ParameterizedTest
    @MethodSource("oddStrings")
    protected void oddName_arrivesAsItIsOrIsRefused(String odd) {
        assertArrivesOrIsRefused(Message.of(MessageElement.of(odd, new byte[] {1})), odd);
        assertArrivesOrIsRefused(Message.of(MessageElement.ofText(odd, "text").withNamespace("app")), odd);
    }

    @ParameterizedTest
    @MethodSource("oddStrings")
    protected void oddNamespace_arrivesAsItIsOrIsRefused(String odd) {
        assertArrivesOrIsRefused(
                Message.of(MessageElement.of(MARK, new byte[] {1}).withNamespace(odd)), MARK);
        // Two elements that differ in their namespaces only.
        assertArrivesOrIsRefused(
                Message.of(
                        MessageElement.ofText(MARK, "1").withNamespace(odd),
                        MessageElement.ofText(MARK, "2").withNamespace(odd.strip())),
                MARK);
    }

    /** All other unusual characters are not valid in a MIME type. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain; ",
                "text/plain;  a=b  ",
                "text/plain;;",
                "text/plain;charset=UTF-8;",
                "text/plain; charset = \"utf-8\" ",
                "TEXT/Plain;charset=utf-8",
                "application/x-odd; a=\"<&>'\\\"]]>\"",
                "application/x-odd; a=:b: ; c"
            })
    protected void oddType_arrivesAsItIsOrIsRefused(String odd) {
        assertArrivesOrIsRefused(Message.of(MessageElement.ofText(MARK, "text").withType(odd)), MARK);
    }

    @ParameterizedTest
    @ValueSource(strings = {"odd\uD800name", "odd\uDC00", "odd\uDC00\uD800"})
    protected void encode_nameWithUnpairedSurrogate_isRefused(String odd) {
        CodecChannel channel = new CodecChannel(codec(), LIMITS, allocator);
        MessageElement element = MessageElement.ofText(MARK, "text");
        for (Message message :
                new Message[] {Message.of(element.withName(odd)), Message.of(element.withNamespace(odd))}) {
            assertThat(channel.assertRejects(message, ErrorCode.NOT_ENCODABLE, "unpaired surrogate"))
                    .hasMessageContaining(MARK);
            channel.assertTransfers(sample(), "after an unpaired surrogate was refused");
        }
    }

    @Test
    protected void oddNameOfSignature_arrivesAsItIsOrIsRefused() {
        if (carriesSignatures()) {
            oddStrings().forEach(odd -> {
                MessageElement signature = MessageElement.of(odd, new byte[] {1});
                assertArrivesOrIsRefused(
                        Message.of(MessageElement.ofText(MARK, "text").withSignature(signature)), MARK);
            });
        }
    }

    private void assertArrivesOrIsRefused(Message message, String odd) {
        String mention = odd.contains(MARK) ? MARK : "";
        String what = "element named '" + escaped(odd) + "' in "
                + escaped(message.elements().toString());
        CodecChannel channel = new CodecChannel(codec(), LIMITS, allocator);
        channel.assertTransfers(sample(), "before " + what);
        Message company = Message.builder().add("before", "a").add("after", "b").build();
        Message inCompany = Message.builder()
                .add("before", "a")
                .addAll(message)
                .add("after", "b")
                .build();
        boolean first = channel.assertTransfersOrRejects(inCompany, ErrorCode.NOT_ENCODABLE, mention, what);
        channel.assertTransfers(sample(), "after " + what);
        boolean second = channel.assertTransfersOrRejects(message, ErrorCode.NOT_ENCODABLE, mention, what);
        assertThat(second).as("repeated: %s", what).isEqualTo(first);
        channel.assertTransfers(company, "finally, after " + what);
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        text.chars()
                .forEach(c ->
                        escaped.append(c >= ' ' && c < 0x7F ? String.valueOf((char) c) : String.format("\\u%04X", c)));
        return escaped.toString();
    }

    // -- texts

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain;charset=UTF-8",
                "text/xml;charset=UTF-8",
                "text/plain",
                "text/xml",
                "application/xml",
                "application/json",
                "text/plain;charset=US-ASCII",
                "text/plain;charset=ISO8859_1",
                "text/plain;charset=UTF-16",
                "text/plain;charset=UTF-16LE"
            })
    protected void text_ofAnyCharacters_arrivesByteForByte(String type) {
        CodecChannel channel = new CodecChannel(codec(), LIMITS, allocator);
        oddStrings()
                .flatMap(odd -> Stream.of(odd, odd + " text", "text " + odd, "<a b=\"" + odd + "\">" + odd + "</a>"))
                .forEach(text -> {
                    for (byte[] bytes : new byte[][] {
                        text.getBytes(StandardCharsets.UTF_8),
                        text.getBytes(StandardCharsets.UTF_16LE),
                        text.getBytes(StandardCharsets.ISO_8859_1)
                    }) {
                        channel.assertTransfers(
                                Message.of(MessageElement.of("text", bytes).withType(type)),
                                type + ": " + escaped(text));
                    }
                });
    }

    /** Tests overlong forms, unpaired surrogates and truncated sequences, which are similar to UTF-8 but invalid. */
    @Test
    protected void text_thatIsAlmostUtf8_arrivesByteForByte() {
        byte[][] almost = {
            {(byte) 0xC0, (byte) 0x80},
            {'a', (byte) 0xC1, (byte) 0xBF, 'b'},
            {(byte) 0xE0, (byte) 0x80, (byte) 0x80},
            {(byte) 0xED, (byte) 0xA0, (byte) 0x80},
            {(byte) 0xED, (byte) 0xA0, (byte) 0xBD, (byte) 0xED, (byte) 0xB8, (byte) 0x80},
            {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80},
            {'a', (byte) 0xE2, (byte) 0x82},
            {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF, 'a'},
            {(byte) 0xEF, (byte) 0xBF, (byte) 0xBD},
            {(byte) 0xFE, (byte) 0xFF, 0, 'a'}
        };
        CodecChannel channel = new CodecChannel(codec(), LIMITS, allocator);
        for (byte[] bytes : almost) {
            for (String type : new String[] {MessageElement.TYPE_TEXT, MessageElement.TYPE_XML, "text/plain"}) {
                channel.assertTransfers(
                        Message.of(MessageElement.of("text", bytes).withType(type)), type);
            }
        }
    }
}
