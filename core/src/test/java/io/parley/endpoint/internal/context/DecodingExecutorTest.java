package io.parley.endpoint.internal.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** The turns of hosts. */
class DecodingExecutorTest {

    private final Queue<Runnable> turns = new ArrayDeque<>();
    private final List<String> ran = new ArrayList<>();
    private boolean rejecting;

    private final DecodingExecutor executor = new DecodingExecutor(turn -> {
        if (rejecting) {
            throw new RejectedExecutionException("on purpose");
        }
        turns.add(turn);
    });

    private void add(String host, String task) {
        executor.execute(host, () -> ran.add(task));
    }

    private void runAll() {
        for (Runnable turn = turns.poll(); turn != null; turn = turns.poll()) {
            turn.run();
        }
    }

    @Test
    void hosts_takeTurns_andTheTasksOfAHostAreInOrder() {
        add("a", "a1");
        add("a", "a2");
        add("a", "a3");
        add("b", "b1");
        add("c", "c1");
        add("b", "b2");
        runAll();
        assertThat(ran).containsExactly("a1", "b1", "c1", "a2", "b2", "a3");
    }

    @Test
    void rejectedTask_doesNotRun() {
        add("a", "a1");
        rejecting = true;
        assertThatThrownBy(() -> add("a", "a2")).isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> add("b", "b1")).isInstanceOf(RejectedExecutionException.class);
        rejecting = false;
        add("a", "a3");
        runAll();
        assertThat(ran).containsExactly("a1", "a3");
    }
}
