package io.parley.endpoint.internal.messenger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LinkedQueueTest {

    private static final class Item extends LinkedQueue.Entry<Item> {}

    private final LinkedQueue<Item> queue = new LinkedQueue<>();

    @Test
    void entries_areThoseOfADeque() {
        Random random = new Random(1);
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            items.add(new Item());
        }
        Deque<Item> expected = new ArrayDeque<>();
        for (int i = 0; i < 10_000; i++) {
            Item item = items.get(random.nextInt(items.size()));
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    if (!queue.contains(item)) {
                        queue.add(item);
                        expected.add(item);
                    }
                }
                case 2 -> {
                    if (!queue.contains(item)) {
                        queue.addFirst(item);
                        expected.addFirst(item);
                    }
                }
                case 3 -> assertThat(queue.remove(item)).isEqualTo(expected.remove(item));
                case 4 -> assertThat(queue.poll()).isSameAs(expected.poll());
                default -> assertThat(queue.pollLast()).isSameAs(expected.pollLast());
            }
            assertThat(queue.peek()).isSameAs(expected.peek());
            assertThat(queue.size()).isEqualTo(expected.size());
            assertThat(queue.contains(item)).isEqualTo(expected.contains(item));
        }
        queue.removeIf(item -> items.indexOf(item) % 2 == 0);
        expected.removeIf(item -> items.indexOf(item) % 2 == 0);
        List<Item> drained = new ArrayList<>();
        queue.drainTo(drained);
        assertThat(drained).containsExactlyElementsOf(expected);
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void entry_isInOneQueueOnly() {
        Item item = new Item();
        queue.add(item);
        LinkedQueue<Item> other = new LinkedQueue<>();
        assertThatThrownBy(() -> other.add(item)).isInstanceOf(IllegalStateException.class);
        assertThat(other.remove(item)).isFalse();
        queue.clear();
        other.add(item);
        assertThat(other.contains(item)).isTrue();
    }
}
