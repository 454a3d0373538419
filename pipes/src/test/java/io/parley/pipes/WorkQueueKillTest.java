package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.message.Message;
import io.parley.testkit.ConfirmationProcess;
import io.parley.testkit.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The process of one of two workers is killed with SIGKILL while it executes tasks. */
@Timeout(120)
@Tag("extended")
class WorkQueueKillTest {

    private static final int TASKS = 600;

    @TempDir
    private Path executed;

    @Test
    void killedWorker_eachTaskIsExecuted() throws Exception {
        try (Peer sending = Peer.builder()
                        .multicast(false)
                        .listen("tcp://127.0.0.1:0")
                        .actAsRendezvous()
                        .start();
                ConfirmationProcess killed = WorkerProcess.start(address(sending), executed);
                ConfirmationProcess second = WorkerProcess.start(address(sending), executed)) {
            awaitPublished(sending, 2);
            killOneOf(killed, second, sending);
        }
    }

    /** Waits until the index has both workers, because a sender that has a worker searches for others only now and then. */
    private static void awaitPublished(Peer rendezvous, int workers) {
        DiscoveryQuery query = DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME)
                .with(
                        "Id",
                        AdvertisementId.of(
                                        Pipes.of(rendezvous).workQueue("render").id())
                                .urn());
        SearchOptions options =
                new SearchOptions(Duration.ofMillis(300), workers, SearchOptions.Scope.LOCAL_AND_REMOTE);
        Eventually.until(
                () -> "fewer workers are published",
                () -> Eventually.get(rendezvous.netGroup().discovery().find(query, options), "a search")
                                .size()
                        == workers);
    }

    private void killOneOf(ConfirmationProcess killed, ConfirmationProcess second, Peer sending) throws Exception {
        try (TaskSender sender = Pipes.of(sending).workQueue("render").openSender()) {
            Eventually.until(() -> "a worker gets no task", () -> {
                Eventually.get(sender.send(task(0)), "a task before the kill");
                return killed.confirmed() > 0 && second.confirmed() > 0;
            });
            List<CompletableFuture<Void>> tasks = new ArrayList<>();
            for (int i = 0; i < TASKS; i++) {
                tasks.add(sender.send(task(i)));
            }
            killed.await(killed.confirmed() + 20);
            killed.close();
            assertThat(sender.unfinishedTasks())
                    .as("unfinished tasks at the kill")
                    .isPositive();
            for (CompletableFuture<Void> task : tasks) {
                Eventually.get(task, "a task");
            }
            try (Stream<Path> files = Files.list(executed)) {
                assertThat(files.map(file -> file.getFileName().toString()))
                        .containsExactlyInAnyOrderElementsOf(IntStream.range(0, TASKS)
                                .mapToObj(Integer::toString)
                                .toList());
            }
            assertThat(sender.unfinishedTasks()).isZero();
        }
    }

    private static String address(Peer peer) {
        return peer.endpoint().addresses().get(0).toString();
    }

    private static Message task(int number) {
        return Message.of("n", Integer.toString(number));
    }
}
