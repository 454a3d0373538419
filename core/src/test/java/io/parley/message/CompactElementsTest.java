package io.parley.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompactElementsTest {

    private static Message compact(List<MessageElement> elements) {
        return Message.compactBuilder().addAll(elements).build();
    }

    private static List<MessageElement> elements(int count, long seed) {
        Random random = new Random(seed);
        String[] namespaces = {"", "jxta", "größe"};
        String[] names = {"", "a", "größe", "n".repeat(300), "\uD83D\uDE00", "\uD83D"};
        String[] types = {MessageElement.TYPE_BYTES, MessageElement.TYPE_TEXT, "text/plain;charset=ISO-8859-1"};
        int[] sizes = {0, 1, 255, 256, 257, 5000};
        List<MessageElement> elements = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] content = new byte[sizes[random.nextInt(sizes.length)]];
            random.nextBytes(content);
            MessageElement element = MessageElement.of(
                    namespaces[random.nextInt(namespaces.length)],
                    names[random.nextInt(names.length)],
                    types[random.nextInt(types.length)],
                    Payload.of(content));
            if (random.nextInt(4) == 0) {
                byte[] signature = new byte[sizes[random.nextInt(sizes.length)]];
                element = element.withSignature(MessageElement.of("signature", signature));
            }
            elements.add(random.nextInt(8) == 0 ? element.selectedForEncoding() : element);
        }
        return elements;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 64, 65, 66, 300, 5000})
    void compactMessage_isEqualToThatOfObjects(int count) {
        List<MessageElement> elements = elements(count, count);
        Message message = compact(elements);
        assertThat(message).isEqualTo(Message.of(elements)).hasSameHashCodeAs(Message.of(elements));
        assertThat(message.size()).isEqualTo(count);
        assertThat(message.payloadBytes()).isEqualTo(Message.of(elements).payloadBytes());
        for (int i = 0; i < count; i++) {
            assertThat(message.elements().get(i).isSelectedForEncoding())
                    .isEqualTo(elements.get(i).isSelectedForEncoding());
        }
    }

    @Test
    void smallElements_ofManyAreNotKeptAsObjects() {
        List<MessageElement> elements = IntStream.range(0, 1000)
                .mapToObj(i -> MessageElement.ofText("größe " + i, "x".repeat(200)))
                .toList();
        Message few = compact(elements.subList(0, 64));
        Message many = compact(elements);
        assertThat(few.elements().get(3)).isSameAs(few.elements().get(3));
        assertThat(many.elements().get(3)).isNotSameAs(many.elements().get(3)).isEqualTo(elements.get(3));
        assertThat(many.element("größe 999").orElseThrow().text()).isEqualTo("x".repeat(200));
    }

    @Test
    void partOfTheElements_sharesTheRecords() {
        List<MessageElement> elements = elements(1000, 1);
        Message message = Message.of(compact(elements).elements().subList(10, 999));
        assertThat(message).isEqualTo(Message.of(elements.subList(10, 999)));
        assertThat(message.payloadBytes())
                .isEqualTo(Message.of(elements.subList(10, 999)).payloadBytes());
        List<MessageElement> parts = compact(elements).elements().subList(10, 999);
        assertThat(parts).isInstanceOf(CompactElements.class);
        assertThat(Message.of(parts).elements()).isSameAs(parts);
    }

    @Test
    void longContent_isNotCopied() {
        byte[] content = new byte[257];
        List<MessageElement> elements = IntStream.range(0, 65)
                .mapToObj(i -> MessageElement.of("a", content))
                .toList();
        assertThat(compact(elements).elements().get(64).payload().array()).isSameAs(content);
    }

    @Test
    void contentInAFile_isNotReadEarly(@TempDir Path directory) throws Exception {
        Path file = Files.write(directory.resolve("content"), new byte[] {1, 2, 3});
        List<MessageElement> elements = new ArrayList<>(elements(64, 1));
        elements.add(MessageElement.ofFile("file", file));
        Message message = compact(elements);
        Files.write(file, new byte[] {4, 5, 6});
        assertThat(message.elements().get(64).toByteArray()).containsExactly(4, 5, 6);
    }

    @Test
    void borrowedContent_staysValidAfterItsScope_ifItWasCopied() {
        BorrowScope scope = new BorrowScope(() -> {});
        ByteBuffer memory = ByteBuffer.allocateDirect(4)
                .put("abcd".getBytes(StandardCharsets.US_ASCII))
                .flip();
        MessageElement borrowed =
                MessageElement.of("", "b", MessageElement.TYPE_BYTES, Payload.borrowed(scope, memory));
        Message message =
                compact(IntStream.range(0, 100).mapToObj(i -> borrowed).toList());
        scope.end();
        assertThatThrownBy(borrowed::toByteArray).isInstanceOf(IllegalStateException.class);
        assertThat(message.elements().get(99).text()).isEqualTo("abcd");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 100})
    void index_outsideOfTheMessage_isRefused(int index) {
        List<MessageElement> elements = compact(elements(100, 1)).elements();
        assertThatThrownBy(() -> elements.get(index)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> elements.remove(0)).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void memory_includesTheEncodedMessageOnlyIfContentsShareIt() {
        List<MessageElement> small = IntStream.range(0, 1000)
                .mapToObj(i -> MessageElement.of("a", new byte[1]))
                .toList();
        List<MessageElement> withALongOne = new ArrayList<>(small);
        withALongOne.add(MessageElement.of("long", new byte[1000]));
        assertThat(compact(small).memoryBytes(1_000_000)).isLessThan(20_000);
        assertThat(compact(withALongOne).memoryBytes(1_000_000)).isBetween(1_000_000L, 1_020_000L);
        assertThat(Message.of(small).memoryBytes(0)).isGreaterThan(100_000);
    }
}
