package io.parley.pipes.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.group.PeerGroup;
import io.parley.id.PipeId;
import io.parley.pipes.ManualTimeGroup;
import io.parley.pipes.PipePeers;
import io.parley.pipes.internal.PipeOptions;
import io.parley.pipes.internal.PipeResolver;
import io.parley.testkit.ManualScheduler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The searches for the holders of a service, on an executor that the test controls. */
@Timeout(60)
class HolderFinderTest {

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean lacksThreads;

    private void execute(Runnable task) {
        if (lacksThreads) {
            throw new InternalError("no thread");
        }
        tasks.add(task);
    }

    private PeerGroup withExecutor(PeerGroup group) {
        return (PeerGroup) Proxy.newProxyInstance(
                PeerGroup.class.getClassLoader(), new Class<?>[] {PeerGroup.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("workExecutor")) {
                        return (Executor) this::execute;
                    }
                    try {
                        return method.invoke(group, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void searchWithoutAThread_isFollowedByAnother() {
        try (PipePeers peers = new PipePeers()) {
            PeerGroup group = withExecutor(peers.near("requester").netGroup());
            HolderFinder finder = new HolderFinder(
                    group,
                    new PipeResolver.Target(PipeId.ofName(group.id(), "calc"), "calc", PipeOptions.DEFAULTS),
                    new HolderTable(group.endpoint(), ServiceRequester.MAX_HOLDERS),
                    () -> {},
                    () -> Duration.ZERO);
            lacksThreads = true;
            assertThat(finder.findFurther(Duration.ofSeconds(1))).isTrue();
            lacksThreads = false;
            assertThat(finder.findFurther(Duration.ofSeconds(1))).isTrue();
            assertThat(tasks).hasSize(1);
            assertThat(finder.findFurther(Duration.ofSeconds(1)))
                    .as("while a search is running")
                    .isFalse();
            finder.close();
        }
    }

    @Test
    void resolutionWithoutAThread_goesOn() {
        try (PipePeers peers = new PipePeers()) {
            ManualScheduler scheduler = new ManualScheduler();
            PeerGroup group =
                    withExecutor(ManualTimeGroup.of(peers.near("requester").netGroup(), scheduler));
            HolderFinder finder = new HolderFinder(
                    group,
                    new PipeResolver.Target(PipeId.ofName(group.id(), "calc"), "calc", PipeOptions.DEFAULTS),
                    new HolderTable(group.endpoint(), ServiceRequester.MAX_HOLDERS),
                    () -> {},
                    () -> Duration.ofSeconds(20));
            lacksThreads = true;
            finder.findFirst();
            lacksThreads = false;
            assertThat(tasks).isEmpty();
            scheduler.advance(Duration.ofSeconds(1));
            assertThat(tasks).isNotEmpty();
            finder.close();
        }
    }
}
