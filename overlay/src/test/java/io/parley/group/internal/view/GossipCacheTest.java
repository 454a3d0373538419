package io.parley.group.internal.view;

import static io.parley.group.internal.view.UnsignedGroupMessages.message;
import static io.parley.group.internal.view.UnsignedGroupMessages.peer;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.group.internal.view.TreeMessage.Gossip;
import io.parley.testkit.ManualScheduler;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class GossipCacheTest {

    private static final Gossip FIRST = new Gossip(message(peer(1), 1));
    private static final Gossip SECOND = new Gossip(message(peer(1), 2));
    private static final Gossip THIRD = new Gossip(message(peer(1), 3));

    private final ManualScheduler scheduler = new ManualScheduler();
    private final GossipCache cache = new GossipCache(2L * GossipCache.bytes(FIRST), Duration.ofSeconds(10), scheduler);

    @Test
    void get_returnsTheMessage() {
        cache.add(FIRST);
        assertThat(cache.get(FIRST.message().key())).isEqualTo(FIRST);
        assertThat(cache.get(SECOND.message().key())).isNull();
        cache.clear();
        assertThat(cache.get(FIRST.message().key())).isNull();
    }

    @Test
    void fullCache_evictsTheOldest() {
        for (int round = 0; round < 3; round++) {
            cache.clear();
            cache.add(FIRST);
            cache.add(SECOND);
            assertThat(cache.get(FIRST.message().key())).isNotNull();
            cache.add(THIRD);
            assertThat(cache.get(FIRST.message().key())).isNull();
            assertThat(cache.get(SECOND.message().key())).isNotNull();
            assertThat(cache.get(THIRD.message().key())).isNotNull();
        }
    }

    @Test
    void message_expires_andMakesRoom() {
        cache.add(FIRST);
        scheduler.advance(Duration.ofSeconds(10).minusNanos(1));
        cache.add(SECOND);
        assertThat(cache.get(FIRST.message().key())).isNotNull();
        scheduler.advance(Duration.ofNanos(1));
        assertThat(cache.get(FIRST.message().key())).isNull();
        cache.add(THIRD);
        assertThat(cache.get(SECOND.message().key())).isNotNull();
    }
}
