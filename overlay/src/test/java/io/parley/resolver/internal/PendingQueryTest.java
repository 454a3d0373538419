package io.parley.resolver.internal;

import static io.parley.resolver.internal.ResolverFixture.LONG;
import static io.parley.resolver.internal.ResolverFixture.NAME;
import static io.parley.resolver.internal.ResolverFixture.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.testkit.ManualScheduler;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A lost connection fails a query that the peer has received, whichever of the two is known first. */
class PendingQueryTest {

    private final Scheduler.Timer timer = new ManualScheduler().schedule(LONG, () -> {});
    private final CompletableFuture<Message> response = new CompletableFuture<>();
    private final CompletableFuture<Void> sent = new CompletableFuture<>();
    private final PendingQuery query = new PendingQuery(Identity.generate().peerId(), NAME, response, timer);

    @Test
    void connectionLostAfterTheQueryWasReceived_fails() {
        query.onSending(sent);
        sent.complete(null);
        assertThat(response).isNotDone();
        query.onDisconnected();
        assertFails(response, ErrorCode.UNREACHABLE, "lost", query.peer().text());
    }

    @Test
    void connectionLostBeforeSendReturns_fails() {
        sent.complete(null);
        query.onDisconnected();
        assertThat(response).isNotDone();
        query.onSending(sent);
        assertFails(response, ErrorCode.UNREACHABLE, "lost");
    }

    @Test
    void connectionLostBeforeTheQueryWasReceived_keepsItPending() {
        query.onDisconnected();
        query.onSending(sent);
        query.onDisconnected();
        sent.complete(null); // on the next connection
        assertThat(response).isNotDone();
        query.onDisconnected();
        assertFails(response, ErrorCode.UNREACHABLE, "lost");
    }

    @Test
    void failedSend_fails() {
        query.onSending(sent);
        sent.completeExceptionally(ErrorCode.UNREACHABLE.exception("no address"));
        assertFails(response, ErrorCode.UNREACHABLE, "no address");
    }
}
