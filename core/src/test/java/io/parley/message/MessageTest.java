package io.parley.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MessageTest {
    private final Message message = Message.builder()
            .add("text", "first")
            .add(MessageElement.ofText("text", "theirs").withNamespace("app"))
            .add("text", "second")
            .add("bytes", new byte[] {1, 2, 3})
            .build();

    @Test
    void lookUpByName_findsTheFirstInTheEmptyNamespace() {
        assertThat(message.text("text")).contains("first");
        assertThat(message.element("text")).contains(MessageElement.ofText("text", "first"));
        assertThat(message.bytes("bytes")).hasValue(new byte[] {1, 2, 3});
        assertThat(message.text("absent")).isEmpty();
        assertThat(message.bytes("absent")).isEmpty();
        assertThat(message.element("absent")).isEmpty();
    }

    @Test
    void lookUpByNamespace_findsOnlyThere() {
        assertThat(message.element("app", "text").orElseThrow().text()).isEqualTo("theirs");
        assertThat(message.elements("", "text"))
                .extracting(MessageElement::text)
                .containsExactly("first", "second");
        assertThat(message.elements("jxta", "text")).isEmpty();
    }

    @Test
    void sizes_countElementsAndContents() {
        assertThat(message.size()).isEqualTo(4);
        assertThat(message.payloadBytes()).isEqualTo(5 + 6 + 6 + 3);
        assertThat(message.isEmpty()).isFalse();
        assertThat(Message.EMPTY.isEmpty()).isTrue();
        assertThat(Message.of(List.of())).isSameAs(Message.EMPTY);
        assertThat(Message.of()).isSameAs(Message.EMPTY);
    }

    @Test
    void elements_cannotBeChanged() {
        List<MessageElement> list = new ArrayList<>(List.of(MessageElement.ofText("a", "b")));
        Message copied = Message.of(list);
        list.clear();
        assertThat(copied.size()).isOne();
        assertThatThrownBy(() -> copied.elements().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThat(copied).containsExactlyElementsOf(copied.elements());
    }

    @Test
    void with_appendsToACopy() {
        Message one = Message.of("a", "1");
        Message two = one.with(MessageElement.ofText("b", "2"));
        assertThat(one.size()).isOne();
        assertThat(two).isEqualTo(Message.builder().addAll(one).add("b", "2").build());
    }

    @Test
    void equality_isByContentInOrder() {
        Message same = Message.of("a", new byte[] {1});
        assertThat(same).isEqualTo(Message.of(MessageElement.of("a", new byte[] {0, 1, 2}, 1, 1)));
        assertThat(same).hasSameHashCodeAs(Message.of(MessageElement.of("a", new byte[] {0, 1, 2}, 1, 1)));
        assertThat(same).isNotEqualTo(Message.of("a", new byte[] {2}));
        MessageElement x = MessageElement.ofText("x", "");
        MessageElement y = MessageElement.ofText("y", "");
        assertThat(Message.of(x, y)).isNotEqualTo(Message.of(y, x));
    }

    @Test
    void toString_isShort() {
        assertThat(message).hasToString("Message[4 elements, 20 bytes: text, app:text, text, bytes]");
        Message.Builder large = Message.builder();
        for (int i = 0; i < 1000; i++) {
            large.add("n".repeat(1000), new byte[1000]);
        }
        assertThat(large.build().toString())
                .startsWith("Message[1000 elements, 1000000 bytes: nnn")
                .hasSizeLessThan(500);
    }
}
