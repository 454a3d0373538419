package io.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class HostTurnsTest {

    private static final long TURN_NANOS = HostTurns.TURN.toNanos();

    private final Queue<Runnable> loop = new ArrayDeque<>();
    private final Queue<Runnable> afterIteration = new ArrayDeque<>();
    private final List<String> ran = new ArrayList<>();
    private long nanoTime;
    private final HostTurns turns = new HostTurns(loop::add, afterIteration::add, () -> nanoTime);

    /** Processes the bytes of a channel: at once, or when it is the turn of the host. */
    private void read(String host, String name, long nanos) {
        Runnable task = () -> {
            ran.add(name);
            nanoTime += nanos;
        };
        if (turns.mayRun()) {
            task.run();
        } else {
            turns.add(host, task);
        }
    }

    private static void runAll(Queue<Runnable> tasks) {
        for (int count = tasks.size(); count > 0; count--) { // those that are added meanwhile run later
            tasks.remove().run();
        }
    }

    private void endIteration() {
        runAll(loop);
        runAll(afterIteration);
    }

    @Test
    void shortWork_runsAtOnce() {
        for (int i = 0; i < 3; i++) {
            read("a", "a" + i, TURN_NANOS / 3);
        }
        assertThat(ran).containsExactly("a0", "a1", "a2");
    }

    @Test
    void longWork_leavesTheRestForTheNextIterations_oneTurnEach() {
        for (int i = 0; i < 4; i++) {
            read("a", "a" + i, TURN_NANOS);
        }
        assertThat(ran).containsExactly("a0");
        endIteration();
        assertThat(ran).as("the loop reads before the next turn").containsExactly("a0");
        for (int i = 1; i < 4; i++) {
            endIteration();
            assertThat(ran).hasSize(1 + i).endsWith("a" + i);
        }
        assertThat(loop).isEmpty();
        assertThat(afterIteration).isEmpty();
    }

    @Test
    void shortWorkThatWaits_sharesATurn() {
        read("a", "a0", TURN_NANOS);
        for (int i = 1; i < 5; i++) {
            read("a", "a" + i, TURN_NANOS / 2);
        }
        endIteration();
        endIteration();
        assertThat(ran).containsExactly("a0", "a1", "a2");
    }

    @Test
    void hosts_takeTurns() {
        for (int i = 0; i < 3; i++) {
            read("a", "a" + i, TURN_NANOS);
        }
        read("b", "b0", 0);
        endIteration();
        read("c", "c0", 0); // waits, because others do
        read("a", "a3", 0);
        for (int i = 0; i < 3; i++) {
            endIteration();
        }
        assertThat(ran).containsExactly("a0", "a1", "b0", "c0", "a2", "a3");
    }

    @Test
    void hostWithoutATurn_goesBeforeBusyOnes() {
        for (String host : List.of("a", "a", "a", "b", "b", "c", "c")) {
            read(host, host, TURN_NANOS);
        }
        for (int i = 0; i < 4; i++) {
            endIteration(); // the first one has no turn for those that wait
        }
        assertThat(ran).containsExactly("a", "a", "b", "c");
        read("d", "d", 0);
        endIteration();
        assertThat(ran).endsWith("c", "d", "a");
    }

    @Test
    void hostThatReturns_goesBehindThoseThatWait() {
        for (String host : List.of("a", "a", "a", "b", "b")) {
            read(host, host, TURN_NANOS);
        }
        endIteration();
        endIteration();
        endIteration();
        read("c", "c", 0);
        endIteration();
        assertThat(ran).containsExactly("a", "a", "b", "c", "a");
        read("c", "c returned", 0);
        endIteration();
        endIteration();
        assertThat(ran).containsExactly("a", "a", "b", "c", "a", "b", "c returned");
    }

    @Test
    void busyHost_hasATurn_althoughNewHostsAlwaysArrive() {
        read("a", "a", TURN_NANOS);
        read("a", "a", TURN_NANOS);
        read("a", "waits", TURN_NANOS);
        endIteration();
        endIteration();
        assertThat(ran).containsExactly("a", "a");
        for (int i = 0; i <= HostTurns.MAX_FIRST_IN_ROW; i++) {
            read("new " + i, "new", TURN_NANOS);
            read("more " + i, "more", TURN_NANOS);
            endIteration();
        }
        assertThat(ran).contains("waits");
    }

    @Test
    void hostsThatDoNotReturn_areForgotten_althoughOthersWait() {
        read("busy", "busy", TURN_NANOS);
        for (int i = 0; i < 100 * HostTurns.MAX_FIRST_IN_ROW; i++) {
            read("new " + i, "new", TURN_NANOS);
            read("more " + i, "more", TURN_NANOS);
            endIteration();
        }
        assertThat(turns.rememberedHosts()).isLessThanOrEqualTo(2 * HostTurns.MAX_FIRST_IN_ROW);
    }

    @Test
    void turns_areForgotten_whenNothingWaits() {
        read("a", "a0", TURN_NANOS);
        read("a", "a1", 0);
        for (int i = 0; i < 3; i++) {
            endIteration();
        }
        assertThat(afterIteration).isEmpty();
        read("b", "b0", TURN_NANOS);
        read("a", "a2", 0);
        read("c", "c0", 0);
        endIteration();
        endIteration();
        assertThat(ran).containsExactly("a0", "a1", "b0", "a2", "c0");
    }

    @Test
    void nextIteration_runsAtOnceAgain() {
        read("a", "a0", TURN_NANOS);
        endIteration();
        read("a", "a1", 0);
        assertThat(ran).containsExactly("a0", "a1");
    }

    @Test
    void taskThatThrows_doesNotStopTheOthers() {
        read("a", "a0", TURN_NANOS);
        assertThat(turns.mayRun()).isFalse();
        turns.add("a", () -> {
            throw new IllegalStateException("thrown");
        });
        read("a", "a1", 0);
        endIteration();
        assertThatIllegalStateException().isThrownBy(this::endIteration);
        runAll(afterIteration);
        endIteration();
        assertThat(ran).containsExactly("a0", "a1");
    }
}
