package io.parley.pipes.internal.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.message.Message;
import io.parley.pipes.ManualTimeGroup;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipePeers;
import io.parley.pipes.Pipes;
import io.parley.pipes.TaskSender;
import io.parley.pipes.WorkQueue;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.pipes.internal.RequestCounters.Counter;
import io.parley.pipes.internal.request.PipeRequests;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers that are too slow, and senders that close. The time of the sender is manual. */
@Timeout(120)
class WorkQueueTimeoutTest {

    private static final Duration TASK_TIMEOUT = Duration.ofMinutes(5);
    private static final Duration STEP = Duration.ofMillis(10);

    private final PipePeers peers = new PipePeers();
    private final ManualScheduler time = new ManualScheduler();
    private Peer bob;
    private PeerGroup group;
    private WorkQueue queue;

    @BeforeEach
    void start() {
        bob = peers.near("bob");
        group = ManualTimeGroup.of(bob.netGroup(), time);
        queue = Pipes.of(group).workQueue("render").withPrefetch(0);
    }

    @AfterEach
    void close() {
        peers.close();
    }

    private ManualWorker worker(String name) {
        Peer peer = peers.near(name);
        return new ManualWorker(peer, Pipes.of(peer).workQueue("render"));
    }

    private static Message task(String name) {
        return Message.of("name", name);
    }

    private static String name(PipeMessage task) {
        return task.text("name").orElseThrow();
    }

    /** Lets little time pass, until something has happened for which timers are needed. */
    private void until(String what, BooleanSupplier condition) {
        Eventually.until(() -> what, () -> {
            time.advance(STEP);
            return condition.getAsBoolean();
        });
    }

    private static ParleyException failure(CompletableFuture<?> future) {
        return (ParleyException) ParleyException.unwrap(Eventually.failure(future, "the task"));
    }

    private long count(Counter counter) {
        return PipePeers.count(bob, counter);
    }

    /** Lets the time of a task pass, which was sent before. */
    private void timeOut(int timeouts) {
        time.advance(TASK_TIMEOUT);
        until("no task has timed out", () -> count(Counter.TASKS_TIMED_OUT) == timeouts);
    }

    @Test
    void slowWorker_itsTaskGoesToAnother_asTheNextAttempt() throws Exception {
        ManualWorker alice = worker("alice");
        try (TaskSender sender = queue.openSender()) {
            CompletableFuture<Void> done = sender.send(task("slow"));
            until("no task at alice", () -> alice.waiting() == 1);
            assertThat(alice.next().attempt()).isEqualTo(1);
            ManualWorker carol = worker("carol");
            CompletableFuture<Void> further = sender.send(task("further")); // makes the sender search
            until("no task at carol", () -> carol.waiting() == 1);
            carol.confirmNext();
            Eventually.get(further, "the further task");
            timeOut(1);
            PipeMessage again = carol.next();
            assertThat(name(again)).isEqualTo("slow");
            assertThat(again.attempt()).isEqualTo(2);
            assertThat(done).isNotDone();
            again.respond(Message.EMPTY);
            Eventually.get(done, "the task");
            assertThat(count(Counter.TASKS_REPEATED)).isEqualTo(1);
            assertThat(alice.waiting()).isZero();
        }
    }

    @Test
    void lateConfirmation_completesTheTask() throws Exception {
        ManualWorker alice = worker("alice");
        try (TaskSender sender = queue.openSender()) {
            CompletableFuture<Void> done = sender.send(task("slow"));
            until("no task at alice", () -> alice.waiting() == 1);
            PipeMessage slow = alice.next();
            timeOut(1);
            until("the only worker does not get it again", () -> alice.waiting() == 1);
            assertThat(alice.next().attempt()).isEqualTo(2);
            time.advance(TASK_TIMEOUT.multipliedBy(TaskDispatcher.LATE_FACTOR - 1));
            slow.respond(Message.EMPTY);
            Eventually.get(done, "the task");
        }
    }

    @Test
    void secondConfirmation_ofTheSameTask_countsOnce() throws Exception {
        ManualWorker alice = worker("alice");
        try (TaskSender sender = queue.openSender()) {
            CompletableFuture<Void> done = sender.send(task("slow"));
            until("no task at alice", () -> alice.waiting() == 1);
            PipeMessage first = alice.next();
            timeOut(1);
            until("the only worker does not get it again", () -> alice.waiting() == 1);
            PipeMessage second = alice.next();
            Eventually.get(second.respond(Message.EMPTY), "response");
            Eventually.get(done, "the task");
            long before = count(Counter.RESPONSES_RECEIVED) + count(Counter.RESPONSES_UNSOLICITED);
            Eventually.get(first.respond(Message.EMPTY), "late response");
            until(
                    "the late response has not come",
                    () -> count(Counter.RESPONSES_RECEIVED) + count(Counter.RESPONSES_UNSOLICITED) == before + 1);
            assertThat(sender.unfinishedTasks()).isZero();
            assertThat(count(Counter.TASKS_COMPLETED)).isEqualTo(1);
            assertThat(sender.whenIdle()).isCompleted();
        }
    }

    @Test
    void confirmation_longAfterTheTimeout_isIgnored() throws Exception {
        ManualWorker alice = worker("alice");
        try (TaskSender sender = queue.withMaxAttempts(2).openSender()) {
            CompletableFuture<Void> done = sender.send(task("slow"));
            until("no task at alice", () -> alice.waiting() == 1);
            PipeMessage slow = alice.next();
            timeOut(1);
            until("the only worker does not get it again", () -> alice.waiting() == 1);
            timeOut(2);
            ParleyException failure = failure(done);
            assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT);
            assertThat(failure.getMessage())
                    .contains("has not confirmed the task within")
                    .contains("may have been");
            time.advance(TASK_TIMEOUT.multipliedBy(TaskDispatcher.LATE_FACTOR));
            until(
                    "a request waits",
                    () -> PipeRequests.of(group)
                            .client(PipeSecurity.PLAIN)
                            .pending()
                            .isEmpty());
            Eventually.get(slow.respond(Message.EMPTY), "the late response");
            until("the response was accepted", () -> count(Counter.RESPONSES_UNSOLICITED) == 1);
        }
    }

    @Test
    void workerThatDoesNotRespond_getsOneTaskAtATime() throws Exception {
        ManualWorker alice = worker("alice");
        List<CompletableFuture<Void>> tasks = new ArrayList<>();
        try (TaskSender sender = queue.withPrefetch(3).openSender()) {
            for (int i = 0; i < 12; i++) {
                tasks.add(sender.send(task("task " + i)));
            }
            until("few tasks at alice", () -> alice.waiting() == 4);
            timeOut(4);
            until("no probe at alice", () -> alice.waiting() == 5);
            PipeMessage first = alice.next();
            for (int i = 0; i < 20; i++) {
                time.advance(Duration.ofSeconds(1));
            }
            assertThat(alice.waiting()).isEqualTo(4);
            first.respond(Message.EMPTY); // late, and it shows that the worker responds
            until("not as many tasks as before", () -> alice.waiting() == 7);
            tasks.forEach(task -> task.cancel(false));
        }
    }

    @Test
    void workerThatNeverResponds_getsOneTaskAtATime_alsoWhenItsTasksHaveExpired() throws Exception {
        ManualWorker alice = worker("alice");
        List<CompletableFuture<Void>> tasks = new ArrayList<>();
        try (TaskSender sender = queue.withPrefetch(3).openSender()) {
            for (int i = 0; i < 20; i++) {
                tasks.add(sender.send(task("task " + i)));
            }
            until("few tasks at alice", () -> alice.waiting() == 4);
            for (int probes = 1; probes <= TaskDispatcher.LATE_FACTOR + 2; probes++) {
                timeOut(3 + probes);
                int expected = 4 + probes;
                until("no probe at alice", () -> alice.waiting() >= expected);
                for (int i = 0; i < 20; i++) {
                    time.advance(Duration.ofSeconds(1));
                }
                assertThat(alice.waiting()).as("tasks after probe " + probes).isEqualTo(expected);
            }
            tasks.forEach(task -> task.cancel(false));
        }
    }

    @Test
    void failedTask_waitsForAnotherWorker_thoughItsOwnIsFree() throws Exception {
        ManualWorker alice = worker("alice");
        ManualWorker carol = worker("carol");
        try (TaskSender sender = queue.openSender()) {
            CompletableFuture<Void> one = sender.send(task("one"));
            CompletableFuture<Void> other = sender.send(task("other"));
            until("a worker has no task", () -> alice.waiting() == 1 && carol.waiting() == 1);
            PipeMessage failed = alice.next();
            PipeMessage running = carol.next();
            Eventually.get(failed.respondError(1, "not at alice"), "the response");
            CompletableFuture<Void> third = sender.send(task("third")); // alice is free for others
            until("alice is not used", () -> alice.waiting() == 1);
            alice.confirmNext();
            Eventually.get(third, "the third task");
            time.advance(Duration.ofSeconds(20)); // longer than the pause after a failure
            CompletableFuture<Void> fourth = sender.send(task("fourth"));
            until("alice is not used", () -> alice.waiting() == 1);
            PipeMessage next = alice.next();
            assertThat(name(next)).isEqualTo("fourth");
            next.respond(Message.EMPTY);
            Eventually.get(fourth, "the fourth task");
            running.respond(Message.EMPTY);
            PipeMessage again = carol.next();
            assertThat(name(again)).isEqualTo(name(failed));
            assertThat(again.attempt()).isEqualTo(2);
            again.respond(Message.EMPTY);
            Eventually.get(CompletableFuture.allOf(one, other), "the tasks");
        }
    }

    @Test
    void closingSender_failsWhatIsUnfinishedAfterTheCloseTimeout() throws Exception {
        ManualWorker alice = worker("alice");
        TaskSender sender = queue.openSender();
        CompletableFuture<Void> sent = sender.send(task("sent"));
        CompletableFuture<Void> waiting = sender.send(task("waiting"));
        until("no task at alice", () -> alice.waiting() == 1);
        CompletableFuture<Void> closed = sender.closeAsync();
        time.advance(Duration.ofMillis(1900));
        assertThat(sent).isNotDone();
        assertThat(waiting).isNotDone();
        time.advance(Duration.ofMillis(200));
        ParleyException lost = failure(sent);
        assertThat(lost.code()).isEqualTo(ErrorCode.LOST);
        assertThat(lost.getMessage()).contains("may have been executed");
        ParleyException unsent = failure(waiting);
        assertThat(unsent.code()).isEqualTo(ErrorCode.CLOSED);
        assertThat(unsent.getMessage()).contains("was not executed");
        Eventually.get(closed, "the close");
        assertThat(alice.waiting()).isEqualTo(1);
    }

    @Test
    void idleSender_hasNoTimer() throws Exception {
        ManualWorker alice = worker("alice");
        try (TaskSender sender = queue.openSender()) {
            CompletableFuture<Void> done = sender.send(task("only"));
            until("no task at alice", () -> alice.waiting() == 1);
            alice.confirmNext();
            Eventually.get(done, "the task");
            time.advance(Duration.ofDays(1));
            assertThat(time.pendingWithin(Duration.ofDays(30))).as("timers").isZero();
        }
    }
}
