package io.parley.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.common.internal.TextSanitizer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MessageElementTest {
    @TempDir
    private Path directory;

    @Test
    void types_areSpelledAsJxtaSpellsThem() {
        assertThat(MessageElement.of("n", new byte[0]).type()).isEqualTo("application/octet-stream");
        assertThat(MessageElement.ofText("n", "").type()).isEqualTo("text/plain;charset=UTF-8");
        assertThat(MessageElement.ofXml("n", "<x/>").type()).isEqualTo("text/xml;charset=UTF-8");
    }

    @Test
    void of_wrapsAndCopyOf_copies() {
        byte[] bytes = {1, 2, 3};
        MessageElement wrapped = MessageElement.of("n", bytes);
        MessageElement copied = MessageElement.copyOf("n", bytes);
        MessageElement range = MessageElement.of("n", bytes, 1, 2);
        bytes[1] = 9;
        assertThat(wrapped.toByteArray()).containsExactly(1, 9, 3);
        assertThat(copied.toByteArray()).containsExactly(1, 2, 3);
        assertThat(range.toByteArray()).containsExactly(9, 3);
    }

    @Test
    void copyOf_buffer_takesWhatRemainsAndLeavesThePosition() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(5);
        buffer.put(new byte[] {0, 1, 2, 3, 4}).position(1).limit(4);
        assertThat(MessageElement.copyOf("n", buffer).toByteArray()).containsExactly(1, 2, 3);
        assertThat(buffer.position()).isOne();
    }

    @ParameterizedTest
    @CsvSource({"-1,1", "0,4", "3,1", "0,-1", "2147483647,2147483647"})
    void of_rangeOutsideTheArray_isRefused(int offset, int length) {
        assertThatThrownBy(() -> MessageElement.of("n", new byte[3], offset, length))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(offset + " + " + length)
                .hasMessageContaining("3 bytes");
    }

    @Test
    void views_showTheRange() throws IOException {
        MessageElement element = MessageElement.of("n", new byte[] {0, 1, 2, 3}, 1, 2);
        assertThat(element.size()).isEqualTo(2);
        ByteBuffer buffer = element.asByteBuffer();
        assertThat(buffer).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2}));
        assertThat(buffer.capacity()).isEqualTo(2);
        assertThatThrownBy(() -> buffer.put(0, (byte) 0)).isInstanceOf(ReadOnlyBufferException.class);
        try (InputStream stream = element.openStream()) {
            assertThat(stream.readAllBytes()).containsExactly(1, 2);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        element.payload().writeTo(out);
        assertThat(out.toByteArray()).containsExactly(1, 2);
        ByteBuffer last = ByteBuffer.allocate(1);
        element.payload().readInto(last, 1);
        assertThat(last.array()).containsExactly(2);
        assertThatThrownBy(() -> element.payload().readInto(ByteBuffer.allocate(2), 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain;charset=ISO8859_1",
                "text/plain;charset=ISO-8859-1",
                "text/plain; charset=\"latin1\"",
                "text/plain;a=b; CharSet = iso-8859-1 "
            })
    void text_decodesByTheCharsetOfTheType(String type) {
        MessageElement element = MessageElement.of("n", "Grüße".getBytes(StandardCharsets.ISO_8859_1))
                .withType(type);
        assertThat(element.text()).isEqualTo("Grüße");
        assertThat(element.charset()).contains(StandardCharsets.ISO_8859_1);
    }

    /** A remote peer chooses the names, and a search loads the providers of the class path. */
    @Test
    void unknownCharsets_areNotSearchedAtProviders() {
        assertThat(Charset.isSupported("unknown-to-the-test")).isFalse();
        int before = CountingCharsetProvider.SEARCHES.get();
        assertThat(before).as("searches of the JVM").isPositive();
        for (int i = 0; i < 10; i++) {
            assertThat(MessageElement.ofText("n", "a")
                            .withType("text/plain;charset=unknown-" + i)
                            .charset())
                    .isEmpty();
        }
        assertThat(CountingCharsetProvider.SEARCHES).hasValue(before);
    }

    @Test
    void text_withoutACharset_isUtf8() {
        assertThat(MessageElement.of("n", "€".getBytes(StandardCharsets.UTF_8)).text())
                .isEqualTo("€");
        assertThat(MessageElement.ofText("n", "é", StandardCharsets.UTF_16BE).text())
                .isEqualTo("é");
        assertThat(MessageElement.ofText("n", "é", StandardCharsets.UTF_8)).isEqualTo(MessageElement.ofText("n", "é"));
    }

    @Test
    void withPayload_changesTheContentAlone() {
        MessageElement signed = MessageElement.ofXml("n", "<x/>")
                .withNamespace("ns")
                .withSignature(MessageElement.of("s", new byte[] {1}));
        MessageElement changed = signed.withPayload(Payload.of(new byte[] {2}));
        assertThat(changed.toByteArray()).containsExactly(2);
        assertThat(changed.withPayload(signed.payload())).isEqualTo(signed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain;charset=klingon", "text/plain;charset=a b", "text/plain;charset="})
    void text_inAnUnknownCharset_isThePeersFault(String type) {
        assertFails(
                ErrorCode.MALFORMED_MESSAGE,
                () -> MessageElement.ofText("n", "a").withType(type).text());
        assertThat(MessageElement.ofText("n", "a").withType(type).charset()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "text",
                "/",
                "text/",
                "/plain",
                "te xt/plain",
                "text/plain/x",
                ";a/b",
                "a/b\n",
                "é/b",
                "a/b;é"
            })
    void type_thatIsNone_isRefused(String type) {
        assertThatThrownBy(() -> MessageElement.ofText("n", "").withType(type))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("type: '" + TextSanitizer.oneLine(type) + "'");
    }

    @Test
    void signature_movesWithItsElement() {
        MessageElement signature = MessageElement.of("s", new byte[] {1}).withNamespace("other");
        MessageElement signed =
                MessageElement.ofText("n", "t").withNamespace("app").withSignature(signature);
        assertThat(signed.signature()).contains(signature.withNamespace("app"));
        assertThat(signed.withNamespace("b").signature()).contains(signature.withNamespace("b"));
        assertThat(signed.withName("m").withType("a/b").signature()).isPresent();
        assertThat(signed).isNotEqualTo(MessageElement.ofText("n", "t").withNamespace("app"));
        assertThatThrownBy(() -> signature.withSignature(signed)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void stream_isReadUpToItsLimit() throws IOException {
        byte[] bytes = {1, 2, 3};
        assertThat(MessageElement.ofStream("n", new ByteArrayInputStream(bytes), 3))
                .isEqualTo(MessageElement.of("n", bytes));
        assertThat(MessageElement.ofStream("n", new ByteArrayInputStream(bytes), 1L << 30)
                        .size())
                .isEqualTo(3);
        assertFails(
                ErrorCode.MESSAGE_TOO_LARGE, () -> MessageElement.ofStream("n", new ByteArrayInputStream(bytes), 2));
        assertThatThrownBy(() -> MessageElement.ofStream("n", new ByteArrayInputStream(bytes), 1L << 31))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void file_isReadWhenAskedFor() throws IOException {
        Path file = Files.write(directory.resolve("f"), new byte[] {0, 1, 2, 3, 4});
        MessageElement whole = MessageElement.ofFile("n", file);
        MessageElement region = MessageElement.ofFile("n", file, 1, 3);
        assertThat(whole.size()).isEqualTo(5);
        assertThat(whole.payload().hasArray()).isFalse();
        assertThat(region.toByteArray()).containsExactly(1, 2, 3);
        assertThat(region.asByteBuffer()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        try (InputStream stream = region.openStream()) {
            assertThat(stream.read()).isOne();
            assertThat(stream.available()).isEqualTo(2);
            assertThat(stream.readAllBytes()).containsExactly(2, 3);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        region.payload().writeTo(out);
        assertThat(out.toByteArray()).containsExactly(1, 2, 3);
        assertThat(region).isEqualTo(MessageElement.ofFile("n", file, 1, 3));
        assertThat(region).isNotEqualTo(whole);
        assertThat(region).isNotEqualTo(MessageElement.of("n", new byte[] {1, 2, 3}));
    }

    @Test
    void file_isReadByAnInterruptedThread() throws IOException {
        byte[] content = new byte[100_000];
        Arrays.fill(content, 50_000, content.length, (byte) 7);
        MessageElement element = MessageElement.ofFile("n", Files.write(directory.resolve("f"), content));
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        byte[] read;
        Thread.currentThread().interrupt();
        try {
            read = element.toByteArray();
            element.payload().writeTo(written);
        } finally {
            assertThat(Thread.interrupted()).as("interrupt of the thread").isTrue();
        }
        assertThat(read).isEqualTo(content);
        assertThat(written.toByteArray()).isEqualTo(content);
    }

    @Test
    void file_thatShrank_isAClearError() throws IOException {
        Path file = Files.write(directory.resolve("f"), new byte[10]);
        MessageElement element = MessageElement.ofFile("n", file, 2, 8);
        Files.write(file, new byte[4]);
        assertThatThrownBy(element::toByteArray)
                .isInstanceOf(ParleyException.class)
                .hasMessage("file " + file
                        + ": ends at byte 4 (expected: >= 10, its size when the message element was created)");
        try (InputStream stream = element.openStream()) {
            assertThatThrownBy(stream::readAllBytes)
                    .isInstanceOf(EOFException.class)
                    .hasMessageContaining("byte 4");
        }
        Files.delete(file);
        assertFails(ErrorCode.NOT_ENCODABLE, element::openStream);
    }

    @Test
    void file_thatIsNone_isRefusedAtOnce() throws IOException {
        Path file = Files.write(directory.resolve("f"), new byte[10]);
        assertThatThrownBy(() -> MessageElement.ofFile("n", directory.resolve("absent")))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> MessageElement.ofFile("n", directory)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MessageElement.ofFile("n", file, 5, 6))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("5 + 6")
                .hasMessageContaining("10 bytes");
    }

    private static void assertFails(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(code));
    }
}
