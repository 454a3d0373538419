package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.common.AsyncCloseable;
import io.parley.group.PeerGroup;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.TransportSecurity;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Work queues whose tasks and confirmations are secure. */
@Timeout(180)
class SecureWorkQueueTest {

    private static final String SECRET = "the storm in Halifax";

    /** The time that passes between two checks, for the searches of senders in manual time. */
    private static final Duration STEP = Duration.ofMillis(20);

    private final Queue<String> executed = new ConcurrentLinkedQueue<>();
    private final ManualScheduler time = new ManualScheduler();

    private static WorkQueue secure(Peer peer) {
        return secure(peer.netGroup());
    }

    private static WorkQueue secure(PeerGroup group) {
        return Pipes.of(group).secure().workQueue("render");
    }

    private static WorkQueue plain(Peer peer) {
        return plain(peer.netGroup());
    }

    private static WorkQueue plain(PeerGroup group) {
        return Pipes.of(group).workQueue("render");
    }

    private static Message task(int number) {
        return Message.of("scene", SECRET + " " + number);
    }

    private static void awaitAll(List<CompletableFuture<Void>> tasks) {
        Eventually.get(CompletableFuture.allOf(tasks.toArray(CompletableFuture<?>[]::new)), "the tasks");
    }

    /** Lets time pass until the tasks are executed. */
    private void untilDone(List<CompletableFuture<Void>> tasks) {
        Eventually.until(() -> "tasks are not executed", () -> {
            time.advance(STEP);
            return tasks.stream().allMatch(CompletableFuture::isDone);
        });
        awaitAll(tasks);
    }

    private static List<CompletableFuture<Void>> send(TaskSender sender, int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> sender.send(task(i))).toList();
    }

    @ParameterizedTest
    @EnumSource(TransportSecurity.class)
    void tasks_overTcp_areExecutedOnce_andNotReadable(TransportSecurity security) throws Exception {
        try (RecordedPeersFixture fixture = new RecordedPeersFixture(security);
                AsyncCloseable worker = secure(fixture.alice).work(task -> {
                    assertThat(task.from()).isEqualTo(fixture.bob.id());
                    assertThat(task.attempt()).isEqualTo(1);
                    executed.add(task.text("scene").orElseThrow());
                });
                TaskSender sender = secure(fixture.bob).openSender()) {
            awaitAll(send(sender, 0, 100));

            assertThat(executed)
                    .as("tasks of %s", worker)
                    .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 100)
                            .mapToObj(i -> SECRET + " " + i)
                            .toList());
            assertThat(fixture.proxy.contains(SECRET)).isFalse();
        }
    }

    @Test
    void workersOfBothKinds_executeTheirTasksOnly() throws Exception {
        try (PipePeers peers = new PipePeers()) {
            AsyncCloseable first = secure(peers.near("alice")).work(task -> executed.add("secure"));
            plain(peers.near("carol")).work(task -> executed.add("plain"));
            PeerGroup bob = ManualTimeGroup.of(peers.near("bob").netGroup(), time);
            try (TaskSender toSecure = secure(bob).openSender();
                    TaskSender toPlain = plain(bob).openSender()) {
                untilDone(send(toSecure, 0, 10));
                assertThat(executed).hasSize(10).containsOnly("secure");
                executed.clear();
                untilDone(send(toPlain, 0, 10));
                assertThat(executed).hasSize(10).containsOnly("plain");
                executed.clear();

                first.close();
                Peer dave = peers.near("dave");
                secure(dave).work(task -> executed.add("secure"));
                untilDone(send(toSecure, 10, 20));

                assertThat(executed).hasSize(10).containsOnly("secure");
                assertThat(toSecure.workers()).isEqualTo(Set.of(dave.id()));
            }
        }
    }

    @Test
    void workerWorksAgainAsPlain_taskGoesToASecureOne() throws Exception {
        try (PipePeers peers = new PipePeers()) {
            Peer alice = peers.near("alice");
            AsyncCloseable first = secure(alice).work(task -> executed.add("alice"));
            try (TaskSender sender = secure(ManualTimeGroup.of(peers.near("bob").netGroup(), time))
                    .openSender()) {
                untilDone(send(sender, 0, 1));
                first.close();
                plain(alice).work(task -> executed.add("plain"));
                secure(peers.near("carol")).work(task -> executed.add("carol"));
                untilDone(send(sender, 1, 2));
            }
            assertThat(executed).containsExactly("alice", "carol");
        }
    }
}
