package io.parley.resolver.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.testkit.ManualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Queries and responses for which an executor has no thread. */
class MissingThreadTest {

    private final ManualScheduler scheduler = new ManualScheduler();
    private final PeerId alice = Identity.generate().peerId();

    private static void noThread(Runnable task) {
        throw new InternalError("no thread (of the test)");
    }

    private static ErrorCode failure(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        return future.handle((done, failure) -> ((ParleyException) Throwables.unwrap(failure)).code())
                .join();
    }

    @Test
    void query_isRefused_andOver() {
        HandlerInvocation invocation = new HandlerInvocation(
                new Query(alice, "forecast", Message.EMPTY, false, 0),
                query -> CompletableFuture.completedFuture(Optional.empty()));
        invocation.start(MissingThreadTest::noThread, scheduler, Duration.ofSeconds(30));
        assertThat(failure(invocation.outcome())).isEqualTo(ErrorCode.BUSY);
        assertThat(invocation.returned()).isCompleted();
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void propagatedQuery_ends() {
        List<QueryResponse> delivered = new ArrayList<>();
        ResponseCollector collector =
                new ResponseCollector(10, delivered::add, MissingThreadTest::noThread, new ResolverMetrics());
        collector.offer(alice, Message.EMPTY);
        assertThat(collector.ended()).isCompleted();
        assertThat(failure(collector.whenDone())).isEqualTo(ErrorCode.BUSY);
        assertThat(collector.whenClosed()).isCompleted();
        assertThat(delivered).isEmpty();
    }

    @Test
    void propagatedQuery_ofAnExecutorThatIsShutDown_ends() {
        Executor executor = task -> {
            throw new RejectedExecutionException("shut down (of the test)");
        };
        ResponseCollector collector = new ResponseCollector(10, response -> {}, executor, new ResolverMetrics());
        collector.finish();
        assertThat(failure(collector.whenDone())).isEqualTo(ErrorCode.CLOSED);
    }
}
