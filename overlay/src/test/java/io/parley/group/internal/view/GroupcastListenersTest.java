package io.parley.group.internal.view;

import static io.parley.group.internal.view.UnsignedGroupMessages.peer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.common.AsyncCloseable;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.group.internal.view.MemberViewCounters.Counter;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.ManualScheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The listeners of a view, whose callback executor the test runs. */
class GroupcastListenersTest {

    private static final ServiceAddress NEWS = ServiceAddress.of("news");
    private static final ServiceAddress OTHER = ServiceAddress.of("other");

    private final GroupViewFixture fixture = new GroupViewFixture();
    private final CapturedLog log = new CapturedLog();
    private final ManualScheduler callbacks = new ManualScheduler();
    private final List<String> received = new ArrayList<>();
    private Peer self;
    private PeerGroup group;
    private GroupcastListeners listeners;

    @BeforeEach
    void start() {
        self = fixture.peer("self", builder -> builder.callbackExecutor(callbacks.newExecutor()));
        group = GroupViewFixture.group(self);
        listeners = new GroupcastListeners(group);
    }

    @AfterEach
    void close() {
        fixture.close();
        log.close();
    }

    private void add(PeerId sender, Message message) {
        received.add(sender.shortText() + " " + message.text("text").orElseThrow());
    }

    private void deliver(ServiceAddress service, String text, int bytes) {
        listeners.deliver(peer(1), service, Message.of("text", text), bytes);
    }

    private static String received(String text) {
        return peer(1).shortText() + " " + text;
    }

    private long count(Counter counter) {
        return GroupViewFixture.count(self, counter);
    }

    @Test
    void messages_areDeliveredInOrder_toTheListenerOfTheirService() {
        listeners.add(NEWS, this::add);
        assertThat(listeners.has(NEWS)).isTrue();
        assertThat(listeners.has(OTHER)).isFalse();
        deliver(NEWS, "one", 1);
        deliver(OTHER, "two", 1);
        deliver(NEWS, "three", 1);
        assertThat(received).isEmpty();
        callbacks.runReady();
        assertThat(received).containsExactly(received("one"), received("three"));
        assertThat(count(Counter.GROUPCASTS_DELIVERED)).isEqualTo(2);
    }

    @Test
    void secondListener_isRejected_untilTheFirstOneEnds() {
        AsyncCloseable registration = listeners.add(NEWS, this::add);
        assertThatThrownBy(() -> listeners.add(NEWS, this::add))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_BOUND));
        registration.close();
        assertThat(listeners.has(NEWS)).isFalse();
        listeners.add(NEWS, this::add);
        registration.close(); // again: the second one remains
        assertThat(listeners.has(NEWS)).isTrue();
    }

    @Test
    void messagesBeyondTheLimit_areDroppedAndCounted_untilThereIsRoom() {
        listeners.add(NEWS, this::add);
        int half = GroupcastListeners.MAX_WAITING_BYTES / 2;
        deliver(NEWS, "one", half);
        deliver(NEWS, "two", half);
        deliver(NEWS, "dropped", 0);
        deliver(NEWS, "dropped too", 0);
        assertThat(count(Counter.GROUPCASTS_DROPPED)).isEqualTo(2);
        assertThat(log.lines("Dropped a message to all members")).hasSize(1);
        callbacks.runReady();
        deliver(NEWS, "three", half);
        callbacks.runReady();
        assertThat(received).containsExactly(received("one"), received("two"), received("three"));
    }

    @Test
    void smallMessages_countTheirMemory() {
        listeners.add(NEWS, this::add);
        int most = GroupcastListeners.MAX_WAITING_BYTES / GroupcastListeners.MIN_CHARGE;
        for (int i = 0; i < most + 5; i++) {
            deliver(NEWS, "", 0);
        }
        assertThat(count(Counter.GROUPCASTS_DROPPED)).isEqualTo(5);
        callbacks.runReady();
        assertThat(received).hasSize(most);
    }

    @Test
    void endedListener_isNotCalled_forMessagesThatWait() {
        AsyncCloseable registration = listeners.add(NEWS, this::add);
        deliver(NEWS, "one", 1);
        registration.close();
        callbacks.runReady();
        assertThat(received).isEmpty();
        listeners.add(NEWS, this::add);
        deliver(NEWS, "two", 1);
        listeners.close();
        callbacks.runReady();
        assertThat(received).isEmpty();
        assertThat(listeners.has(NEWS)).isFalse();
    }

    @Test
    void throwingListener_isCountedAndCalledAgain() {
        listeners.add(NEWS, (sender, message) -> {
            add(sender, message);
            throw new AssertionError("of the test");
        });
        deliver(NEWS, "one", 1);
        deliver(NEWS, "two", 1);
        callbacks.runReady();
        assertThat(received).containsExactly(received("one"), received("two"));
        assertThat(count(Counter.GROUPCASTS_LISTENER_FAILURES)).isEqualTo(2);
        assertThat(log.lines("Listener of service news")).hasSize(1);
    }

    // ---- the listeners of neighbors

    @Test
    void slowListenerOfNeighbors_getsTheNewestOnes() {
        NeighborListeners neighbors = new NeighborListeners(group);
        List<Set<PeerId>> changes = new ArrayList<>();
        AsyncCloseable registration = neighbors.add(changes::add);
        for (int i = 0; i < 1000; i++) {
            neighbors.notifyAll(Set.of(peer(i)));
        }
        callbacks.runReady();
        assertThat(changes).containsExactly(Set.of(peer(999)));
        neighbors.notifyAll(Set.of());
        callbacks.runReady();
        assertThat(changes).containsExactly(Set.of(peer(999)), Set.of());
        neighbors.notifyAll(Set.of(peer(1)));
        registration.close();
        callbacks.runReady();
        assertThat(changes).hasSize(2);
    }

    @Test
    void listenersOfNeighbors_failAndEndAlone() {
        NeighborListeners neighbors = new NeighborListeners(group);
        List<Set<PeerId>> changes = new ArrayList<>();
        neighbors.add(all -> {
            throw new AssertionError("of the test");
        });
        AsyncCloseable first = neighbors.add(changes::add);
        neighbors.add(changes::add);
        neighbors.notifyAll(Set.of(peer(1)));
        callbacks.runReady();
        assertThat(changes).hasSize(2);
        assertThat(count(Counter.GROUPCASTS_LISTENER_FAILURES)).isEqualTo(1);
        first.close();
        neighbors.notifyAll(Set.of(peer(2)));
        callbacks.runReady();
        assertThat(changes).hasSize(3);
        neighbors.notifyAll(Set.of(peer(3)));
        neighbors.close();
        callbacks.runReady();
        assertThat(changes).hasSize(3);
    }
}
