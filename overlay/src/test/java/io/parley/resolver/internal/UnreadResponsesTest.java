package io.parley.resolver.internal;

import static io.parley.resolver.internal.ResolverFixture.GROUP;
import static io.parley.resolver.internal.ResolverFixture.LONG;
import static io.parley.resolver.internal.ResolverFixture.NAME;
import static io.parley.resolver.internal.ResolverFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.ReceivedMessage;
import io.parley.message.Message;
import io.parley.resolver.ResolverLimits;
import io.parley.resolver.internal.ResolverFixture.TestPeer;
import io.parley.resolver.internal.ResolverMetrics.Counter;
import io.parley.testkit.Eventually;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Queries of a peer that does not read the responses. */
class UnreadResponsesTest {

    private static final int RESPONSE_BYTES = 4000;

    private final ResolverFixture fixture = new ResolverFixture();
    private final List<ReceivedMessage> unread = new CopyOnWriteArrayList<>();

    @AfterEach
    void closeAll() {
        unread.forEach(ReceivedMessage::release);
        fixture.close();
    }

    private TestPeer server(ResolverLimits limits) {
        TestPeer bob = fixture.start(limits);
        bob.resolver()
                .registerHandler(
                        NAME,
                        query -> CompletableFuture.completedFuture(
                                Optional.of(Message.of("text", "x".repeat(RESPONSE_BYTES)))));
        return bob;
    }

    /** Starts a peer that keeps the window of its responses closed. */
    private TestPeer startThatDoesNotRead() {
        TestPeer mallory = fixture.start();
        mallory.resolver().close();
        mallory.peer().endpoint().listen(GroupResolver.service(GROUP), unread::add);
        return mallory;
    }

    /** Sends a query and waits until it is handled or refused. */
    private static void query(TestPeer from, TestPeer to, long id) {
        long before = to.count(Counter.QUERIES_HANDLED) + to.count(Counter.QUERIES_THROTTLED);
        Message query =
                ResolverMessageFormat.write(new ResolverMessage.QueryMessage(false, id, NAME, 0, LONG, Message.EMPTY));
        Eventually.get(
                from.peer().endpoint().send(to.peer().id(), GroupResolver.service(GROUP), query), "sending a query");
        Eventually.until(
                () -> "query " + id + " is not processed",
                () -> to.count(Counter.QUERIES_HANDLED) + to.count(Counter.QUERIES_THROTTLED) > before);
        Eventually.until(
                () -> "query " + id + " is in progress", () -> to.resolver().pendingQueries() == 0);
    }

    @Test
    void unreadResponses_useNoQuerySlots() {
        TestPeer bob = server(ResolverLimits.DEFAULTS.toBuilder()
                .maxConcurrentQueries(8)
                .maxConcurrentQueryBytes(1 << 20)
                .build());
        TestPeer mallory = startThatDoesNotRead();
        for (int i = 0; i < 100; i++) {
            query(mallory, bob, i);
        }
        assertThat(bob.count(Counter.QUERIES_HANDLED)).isEqualTo(100);
        assertThat(bob.count(Counter.RESPONSES_SENT)).isLessThan(100);
        TestPeer alice = fixture.start();
        assertThat(text(alice.query(bob, "rain?"))).hasSize(RESPONSE_BYTES);
    }

    @Test
    void peerThatDoesNotRead_isRefused_untilItsOldResponsesAreDropped() {
        TestPeer bob = server(ResolverLimits.DEFAULTS.toBuilder()
                .maxBodyBytes(2 * RESPONSE_BYTES)
                .maxUnsentResponseBytes(2 << 20)
                .build());
        TestPeer mallory = startThatDoesNotRead();
        for (int i = 0; bob.count(Counter.QUERIES_THROTTLED) == 0; i++) {
            assertThat(i).isLessThan(2000);
            query(mallory, bob, i);
        }
        assertThat(text(fixture.start().query(bob, "rain?"))).hasSize(RESPONSE_BYTES);

        fixture.scheduler.advance(ResolverLimits.DEFAULTS.handlerTimeout());
        assertThat(bob.count(Counter.RESPONSES_DROPPED)).isPositive();
        long handled = bob.count(Counter.QUERIES_HANDLED);
        query(mallory, bob, -1);
        assertThat(bob.count(Counter.QUERIES_HANDLED)).isEqualTo(handled + 1);
    }
}
