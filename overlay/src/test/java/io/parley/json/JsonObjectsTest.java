package io.parley.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Tests objects in messages as JSON. */
final class JsonObjectsTest {

    record Order(String item, int count, List<String> notes) {}

    record Tree(Tree inner) {}

    record FailingRecord(String name) {
        public String getPlace() {
            throw new IllegalStateException("no place");
        }
    }

    static final class NoConstructor {
        NoConstructor(int one, int two) {}
    }

    private final JsonObjects objects = JsonObjects.DEFAULTS;

    @Test
    void toMessage_thenRead_returnsAnEqualObject() {
        Order order = new Order("Zürich <&> 世界 \uD83D\uDE80", -3, List.of("", "\u0000\u2028\""));
        Message message = objects.toMessage(order);
        assertThat(message.size()).isOne();
        MessageElement body = message.element("body").orElseThrow();
        assertThat(body.type()).isEqualTo("application/json");
        assertThat(objects.read(message, Order.class)).isEqualTo(order);
    }

    @Test
    void write_isPlainJson() {
        assertThat(objects.write("n", new Order("lamp", 2, List.of())).text())
                .isEqualTo("{\"item\":\"lamp\",\"count\":2,\"notes\":[]}");
    }

    @Test
    void numbers_andTexts_areObjectsToo() {
        assertThat(objects.read(objects.toMessage(Long.MIN_VALUE), Long.class)).isEqualTo(Long.MIN_VALUE);
        assertThat(objects.read(objects.toMessage(0.1), Double.class)).isEqualTo(0.1);
        assertThat(objects.read(objects.toMessage("a\nb"), String.class)).isEqualTo("a\nb");
        assertThat(objects.read(objects.toMessage(new int[] {1, 2}), int[].class))
                .containsExactly(1, 2);
    }

    @Test
    void read_unknownProperty_isIgnored() {
        assertThat(objects.read(element("{\"item\":\"lamp\",\"count\":2,\"notes\":[],\"color\":\"red\"}"), Order.class))
                .isEqualTo(new Order("lamp", 2, List.of()));
    }

    @Test
    void read_givenMapper_itsRulesApply() {
        JsonObjects strict = new JsonObjects(JsonMapper.builder()
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build());
        assertFails(ErrorCode.MALFORMED_MESSAGE, () -> strict.read(element("{\"color\":\"red\"}"), Order.class));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{\"item\":\"lamp\"}{}",
                "{\"item\":\"lamp\"} x",
                "null",
                "[]",
                "no JSON",
                "{\"count\":\"many\"}",
                "{\"count\":99999999999}"
            })
    void read_malformedOrOfAnotherType_isPeerFault(String document) {
        assertFails(ErrorCode.MALFORMED_MESSAGE, () -> objects.read(element(document), Order.class));
    }

    @Test
    void read_messageWithoutBody_isPeerFault() {
        assertFails(ErrorCode.MALFORMED_MESSAGE, () -> objects.read(Message.of("text", "{}"), Order.class));
    }

    @Test
    void read_invalidText_isPeerFault() {
        MessageElement broken = MessageElement.of("body", new byte[] {'"', (byte) 0xFF, '"'});
        assertFails(ErrorCode.MALFORMED_MESSAGE, () -> objects.read(broken, String.class));
    }

    @Test
    void read_deepDocument_orLongNumber_stopsAtTheLimitOfTheParser() {
        String deep = "{\"inner\":".repeat(100_000);
        assertFails(ErrorCode.MALFORMED_MESSAGE, () -> objects.read(element(deep), Tree.class));
        String digits = "9".repeat(100_000);
        assertFails(ErrorCode.MALFORMED_MESSAGE, () -> objects.read(element(digits), java.math.BigInteger.class));
    }

    @Test
    void failure_quotesNoControlCharacters() {
        assertThatThrownBy(() -> objects.read(element("{\"count\":\"\\u001b[31m\\u202ered\"}"), Order.class))
                .isInstanceOf(ParleyException.class)
                .satisfies(e -> {
                    for (Throwable t = e; t != null; t = t.getCause()) {
                        assertThat(t.toString()).doesNotContain("\u001b").doesNotContain("\u202e");
                    }
                });
    }

    @Test
    void write_deepObject_isRejected() {
        Tree tree = new Tree(null);
        for (int depth = 0; depth < 2_000; depth++) {
            tree = new Tree(tree);
        }
        Tree deep = tree;
        assertFails(ErrorCode.NOT_ENCODABLE, () -> objects.toMessage(deep));
    }

    @Test
    void typesThatJacksonCannotMap_areCallerFaults() {
        assertThatThrownBy(() -> objects.read(element("{\"a\":1}"), NoConstructor.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("NoConstructor");
        assertFails(ErrorCode.NOT_ENCODABLE, () -> objects.toMessage(new FailingRecord("x")));
    }

    private static MessageElement element(String document) {
        return MessageElement.of("body", document.getBytes(StandardCharsets.UTF_8));
    }

    private static void assertFails(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ParleyException.class,
                        e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }
}
