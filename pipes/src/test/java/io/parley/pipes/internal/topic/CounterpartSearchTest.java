package io.parley.pipes.internal.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.discovery.Discovery;
import io.parley.group.PeerGroup;
import io.parley.id.PipeId;
import io.parley.pipes.PipePeers;
import io.parley.testkit.ManualScheduler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The searches for the other ends of a topic in manual time, on the thread of the test. */
@Timeout(60)
class CounterpartSearchTest {

    private final ManualScheduler scheduler = new ManualScheduler();
    private final AtomicInteger searches = new AtomicInteger();

    /** Returns a view of a real object in which some methods have another result. */
    private static <T> T view(Class<T> type, T real, Map<String, Object> results, Runnable onSearch) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (results.containsKey(method.getName())) {
                        return results.get(method.getName());
                    }
                    if (method.getName().equals("search")) {
                        onSearch.run();
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    private void onSearch() {
        if (searches.incrementAndGet() == 2) {
            throw new InternalError("no thread (of the test)");
        }
    }

    /** Runs a task as a thread of a pool does: its failure does not concern the caller. */
    private void execute(Runnable task) {
        try {
            task.run();
        } catch (InternalError e) {
            assertThat(e).hasMessage("no thread (of the test)");
        }
    }

    @Test
    void searchThatFails_isFollowedByOthers() {
        try (PipePeers peers = new PipePeers()) {
            PeerGroup real = peers.near("subscriber").netGroup();
            Discovery discovery = view(Discovery.class, real.discovery(), Map.of(), this::onSearch);
            PeerGroup group = view(
                    PeerGroup.class,
                    real,
                    Map.of("discovery", discovery, "scheduler", scheduler, "workExecutor", (Executor) this::execute),
                    () -> {});
            CounterpartSearch search = new CounterpartSearch(
                    group,
                    PipeAdvertisement.of(PipeId.ofName(group.id(), "own end"), PipeType.UNICAST, "own end"),
                    PipeId.ofName(group.id(), "other end"),
                    found -> {});
            search.start();
            for (int second = 0; second < 180; second++) {
                scheduler.advance(Duration.ofSeconds(1));
            }
            assertThat(searches).as("searches within three minutes").hasValueGreaterThan(3);
            search.close();
        }
    }
}
