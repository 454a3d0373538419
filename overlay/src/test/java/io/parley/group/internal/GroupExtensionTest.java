package io.parley.group.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.common.AsyncCloseable;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.testkit.Eventually;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The state of services that are built on a group. */
@Timeout(60)
class GroupExtensionTest {

    private final Peer peer = Peer.builder()
            .name("alice")
            .transport(new InMemoryNetwork(2).transportProvider())
            .limits(EndpointLimits.DEFAULTS.toBuilder()
                    .closeTimeout(Duration.ofSeconds(1))
                    .build())
            .multicast(false)
            .listen("mem://alice")
            .start();
    private final PeerGroup group = peer.group("weather").join();

    @AfterEach
    void close() {
        peer.close();
        Eventually.get(peer.whenClosed(), "closing the peer");
    }

    private static class Counter implements AsyncCloseable {

        private final PeerGroup group;
        private final CompletableFuture<Void> closed = new CompletableFuture<>();
        private volatile boolean closing;
        private volatile boolean groupWasOpen;

        Counter(PeerGroup group) {
            this.group = group;
        }

        @Override
        public CompletableFuture<Void> closeAsync() {
            closing = true;
            groupWasOpen = !group.discovery().isClosing();
            closed.complete(null);
            return closed.copy();
        }

        @Override
        public CompletableFuture<Void> whenClosed() {
            return closed.copy();
        }

        @Override
        public boolean isClosing() {
            return closing;
        }

        @Override
        public void close() {
            closeAsync();
        }
    }

    /** Never closes. */
    private static final class StuckCounter extends Counter {

        StuckCounter(PeerGroup group) {
            super(group);
        }

        @Override
        public CompletableFuture<Void> closeAsync() {
            return whenClosed();
        }
    }

    @Test
    void extension_isCreatedOncePerGroupAndType() throws InterruptedException {
        AtomicInteger created = new AtomicInteger();
        List<Counter> seen = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> {
                Counter counter = group.extension(Counter.class, owner -> {
                    created.incrementAndGet();
                    return new Counter(owner);
                });
                synchronized (seen) {
                    seen.add(counter);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(created).hasValue(1);
        assertThat(seen).hasSize(4).containsOnly(seen.get(0));
        assertThat(seen.get(0).group).isSameAs(group);
        assertThat(peer.netGroup().extension(Counter.class, Counter::new)).isNotSameAs(seen.get(0));
    }

    @Test
    void close_closesExtensionsFirst_andRefusesNewOnes() {
        Counter counter = group.extension(Counter.class, Counter::new);
        group.close();
        assertThat(counter.isClosed()).isTrue();
        assertThat(counter.groupWasOpen).isTrue();
        assertThatThrownBy(() -> group.extension(Counter.class, Counter::new))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
    }

    @Test
    void close_extensionThatNeverCloses_isNotAwaitedForever() {
        group.extension(StuckCounter.class, StuckCounter::new);
        Eventually.get(group.closeAsync(), "leaving the group");
    }

    @Test
    void extension_thatWasClosed_isReplaced() {
        Counter first = group.extension(Counter.class, Counter::new);
        first.close();
        assertThat(group.extension(Counter.class, Counter::new)).isNotSameAs(first);
    }
}
