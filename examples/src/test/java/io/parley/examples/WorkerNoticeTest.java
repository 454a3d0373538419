package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.parley.Peer;
import io.parley.common.AsyncCloseable;
import io.parley.examples.console.Console;
import io.parley.message.Message;
import io.parley.pipes.Pipes;
import io.parley.pipes.TaskSender;
import io.parley.pipes.WorkQueue;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WorkerNoticeTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Console console = new Console(
            new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            true,
            false);

    private static WorkQueue queue(Peer peer) {
        return Pipes.of(peer.netGroup()).workQueue("letters");
    }

    private long lines() {
        return err.toString(StandardCharsets.UTF_8).lines().count();
    }

    private static void check(WorkerNotice notice, int times) {
        for (int i = 0; i < times; i++) {
            notice.run();
        }
    }

    @Test
    void senderWithoutAWorker_ofATask_printsOneLine_andAnotherOneAfterTheWorkerHasGone() throws Exception {
        try (MemoryNet network = new MemoryNet();
                TaskSender sender = queue(network.start("alice")).openSender()) {
            WorkerNotice notice = new WorkerNotice("letters", sender, console);
            check(notice, 2);
            assertThat(lines()).isZero();
            CompletableFuture<Void> task = sender.send(Message.of("text", "one"));
            check(notice, 3);
            assertThat(err.toString(StandardCharsets.UTF_8))
                    .isEqualTo("Waiting for a worker. On another terminal, run: parley work run letters -- COMMAND"
                            + System.lineSeparator());
            try (AsyncCloseable worker = queue(network.start("bob")).work(one -> {})) {
                assertThat(task).succeedsWithin(TIMEOUT);
                check(notice, 2);
                assertThat(lines()).isEqualTo(1);
            }
            CompletableFuture<Void> other = sender.send(Message.of("text", "two"));
            await().atMost(TIMEOUT).until(() -> sender.workers().isEmpty());
            check(notice, 3);
            assertThat(lines()).isEqualTo(2);
            assertThat(other).isNotDone();
        }
    }
}
