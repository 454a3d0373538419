package io.parley.pipes.internal.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.common.AsyncCloseable;
import io.parley.error.ApplicationException;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.ManualTimeGroup;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipePeers;
import io.parley.pipes.Pipes;
import io.parley.pipes.TaskSender;
import io.parley.pipes.WorkQueue;
import io.parley.pipes.internal.RequestCounters.Counter;
import io.parley.pipes.internal.request.RequestClient;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Senders and workers of a work queue on one local network. */
@Timeout(120)
class WorkQueueTest {

    private static final Duration SOON = Eventually.DEADLINE;

    /** The time that passes between two checks, for the searches of senders in manual time. */
    private static final Duration STEP = Duration.ofMillis(20);

    private final PipePeers peers = new PipePeers();
    private final ManualScheduler time = new ManualScheduler();

    @AfterEach
    void close() {
        peers.close();
    }

    /** Returns the queue of a sender that searches for further workers only if time passes: see {@link #until}. */
    private WorkQueue queueInManualTime(Peer peer) {
        return Pipes.of(ManualTimeGroup.of(peer.netGroup(), time)).workQueue("render");
    }

    private void until(String what, BooleanSupplier condition) {
        Eventually.until(() -> what, () -> {
            time.advance(STEP);
            return condition.getAsBoolean();
        });
    }

    private void untilDone(List<CompletableFuture<Void>> tasks) {
        until("tasks are not executed", () -> tasks.stream().allMatch(CompletableFuture::isDone));
        awaitAll(tasks);
    }

    private static WorkQueue queue(Peer peer) {
        return Pipes.of(peer).workQueue("render");
    }

    private static Message task(int number) {
        return Message.of("n", Integer.toString(number));
    }

    private static String number(PipeMessage task) {
        return task.text("n").orElseThrow();
    }

    private static List<CompletableFuture<Void>> send(TaskSender sender, int count) {
        return IntStream.range(0, count).mapToObj(i -> sender.send(task(i))).toList();
    }

    private static void awaitAll(List<CompletableFuture<Void>> tasks) {
        Eventually.get(CompletableFuture.allOf(tasks.toArray(CompletableFuture<?>[]::new)), "the tasks");
    }

    private static ParleyException failure(CompletableFuture<?> future) {
        return (ParleyException) ParleyException.unwrap(Eventually.failure(future, "the task"));
    }

    private ManualWorker manualWorker(String name) {
        Peer peer = peers.near(name);
        return new ManualWorker(peer, queue(peer));
    }

    private static void awaitWorkers(TaskSender sender, PeerId... workers) {
        Eventually.until(
                () -> "workers " + sender.workers() + " instead of " + List.of(workers),
                () -> sender.workers().equals(Set.of(workers)));
    }

    @Test
    void tasks_areExecutedOnce_andAllWorkersGetSome() {
        Map<String, List<String>> executed = new ConcurrentHashMap<>();
        for (String name : List.of("alice", "carol", "dave")) {
            queue(peers.near(name)).work(task -> {
                assertThat(task.attempt()).isEqualTo(1);
                executed.computeIfAbsent(name, key -> Collections.synchronizedList(new ArrayList<>()))
                        .add(number(task));
            });
        }
        Peer bob = peers.near("bob");
        try (TaskSender sender = queue(bob).openSender()) {
            for (int round = 0; executed.size() < 3; round++) { // until all workers are found
                assertThat(round).as("rounds").isLessThan(10_000);
                awaitAll(send(sender, 10));
            }
            executed.values().forEach(List::clear);
            awaitAll(send(sender, 300));
            assertThat(executed.values().stream().flatMap(List::stream))
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, 300).mapToObj(Integer::toString).toList());
            assertThat(executed.values()).as("tasks by worker").noneMatch(List::isEmpty);
            assertThat(sender.unfinishedTasks()).isZero();
        }
        assertThat(PipePeers.count(bob, Counter.TASKS_COMPLETED))
                .isEqualTo(PipePeers.count(bob, Counter.TASKS_STARTED));
        assertThat(PipePeers.count(bob, Counter.TASKS_REPEATED)).isZero();
        assertThat(PipePeers.count(bob, Counter.TASKS_FAILED)).isZero();
    }

    @Test
    void tasks_withoutAWorker_waitForOne() {
        try (TaskSender sender = queueInManualTime(peers.near("bob")).openSender()) {
            List<CompletableFuture<Void>> tasks = send(sender, 20);
            assertThat(sender.unfinishedTasks()).isEqualTo(20);
            assertThat(sender.whenIdle()).isNotDone();
            CompletableFuture<Void> idle = sender.whenIdle();
            queue(peers.near("alice")).work(task -> {});
            untilDone(tasks);
            Eventually.get(idle, "the end of all tasks");
            assertThat(sender.whenIdle()).isCompleted();
        }
    }

    @Test
    void workerThatOpensLater_getsTasksThatWait() throws Exception {
        ManualWorker alice = manualWorker("alice");
        try (TaskSender sender = queueInManualTime(peers.near("bob")).openSender()) {
            List<CompletableFuture<Void>> tasks = send(sender, 20);
            until("no task at alice", () -> alice.waiting() > 0);
            queue(peers.near("carol")).work(task -> {});
            until("tasks wait for a worker", () -> sender.unfinishedTasks() == alice.waiting());
            while (sender.unfinishedTasks() > 0) {
                alice.confirmNext();
                Eventually.until(() -> "the confirmation", () -> sender.unfinishedTasks() == alice.waiting());
            }
            awaitAll(tasks);
        }
    }

    @Test
    void workers_haveAsManyTasksAsThePrefetchAllows_andNoMore() throws Exception {
        ManualWorker alice = manualWorker("alice");
        ManualWorker carol = manualWorker("carol");
        try (TaskSender sender = queue(peers.near("bob")).withPrefetch(1).openSender()) {
            List<CompletableFuture<Void>> tasks = send(sender, 10);
            Eventually.until(
                    () -> alice.waiting() + " and " + carol.waiting() + " tasks",
                    () -> alice.waiting() == 2 && carol.waiting() == 2);
            for (int confirmed = 0; confirmed < 6; confirmed++) {
                carol.confirmNext();
                Eventually.until(() -> "no further task", () -> carol.waiting() == 2);
                assertThat(alice.waiting()).isEqualTo(2);
            }
            for (int i = 0; i < 2; i++) {
                alice.confirmNext();
                carol.confirmNext();
            }
            awaitAll(tasks);
        }
    }

    @Test
    void oneTaskAfterTheOther_goesToTheWorkersInTurn() throws Exception {
        ManualWorker alice = manualWorker("alice");
        ManualWorker carol = manualWorker("carol");
        try (TaskSender sender = queue(peers.near("bob")).withPrefetch(0).openSender()) {
            List<CompletableFuture<Void>> first = send(sender, 2);
            awaitWorkers(sender, alice.id(), carol.id());
            alice.confirmNext();
            carol.confirmNext();
            awaitAll(first);
            int byAlice = 0;
            for (int i = 0; i < 10; i++) {
                CompletableFuture<Void> task = sender.send(task(i));
                Eventually.until(() -> "no worker has the task", () -> alice.waiting() + carol.waiting() == 1);
                byAlice += alice.waiting();
                (alice.waiting() == 1 ? alice : carol).confirmNext();
                Eventually.get(task, "the task");
            }
            assertThat(byAlice).isEqualTo(5);
        }
    }

    @Test
    void workerForSeveralTasksAtATime_getsThem() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        AtomicInteger running = new AtomicInteger();
        queue(peers.near("alice"))
                .work(
                        task -> {
                            if (!number(task).equals("first")) {
                                running.incrementAndGet();
                                Eventually.latch(released, "the release");
                            }
                        },
                        task -> new Thread(task).start(),
                        4);
        try (TaskSender sender = queue(peers.near("bob")).withPrefetch(0).openSender()) {
            Eventually.get(sender.send(Message.of("n", "first")), "the first task");
            List<CompletableFuture<Void>> tasks = send(sender, 10);
            Eventually.until(() -> running + " tasks run", () -> running.get() == 4);
            released.countDown();
            awaitAll(tasks);
        }
    }

    @Test
    void failedTask_goesToAnotherWorker_asTheNextAttempt() {
        Queue<Integer> attempts = new ConcurrentLinkedQueue<>();
        queue(peers.near("alice")).work(task -> {
            throw new IllegalStateException("of alice");
        });
        queue(peers.near("carol")).work(task -> attempts.add(task.attempt()));
        Peer bob = peers.near("bob");
        try (TaskSender sender = queue(bob).openSender()) {
            awaitAll(send(sender, 20));
        }
        assertThat(attempts).hasSize(20);
        assertThat(attempts.stream().mapToInt(attempt -> attempt - 1).sum())
                .as("repeated attempts")
                .isEqualTo((int) PipePeers.count(bob, Counter.TASKS_REPEATED));
    }

    @Test
    void taskThatAlwaysFails_failsAfterTheLastAttempt_withTheErrorOfTheApplication() {
        Queue<Integer> attempts = new ConcurrentLinkedQueue<>();
        queue(peers.near("alice")).work(task -> {
            attempts.add(task.attempt());
            throw new ApplicationException(7, "no paper");
        });
        Peer bob = peers.near("bob");
        try (TaskSender sender = queue(bob).withMaxAttempts(3).openSender()) {
            assertThat(failure(sender.send(task(1)))).isInstanceOfSatisfying(ApplicationException.class, e -> {
                assertThat(e.applicationCode()).isEqualTo(7);
                assertThat(e.text()).isEqualTo("no paper");
            });
            assertThat(attempts).containsExactly(1, 2, 3);
            assertThat(sender.unfinishedTasks()).isZero();
        }
        assertThat(PipePeers.count(bob, Counter.TASKS_FAILED)).isEqualTo(1);
    }

    @Test
    void busyWorker_getsLess_andItsTasksAreNotCountedAsAttempts() {
        AtomicInteger refused = new AtomicInteger();
        queue(peers.near("alice"))
                .work(
                        task -> {},
                        task -> {
                            refused.incrementAndGet();
                            throw new RejectedExecutionException("busy");
                        },
                        1);
        Peer bob = peers.near("bob");
        try (TaskSender sender = queueInManualTime(bob).withMaxAttempts(1).openSender()) {
            List<CompletableFuture<Void>> tasks = send(sender, 30);
            until("no task was refused", () -> refused.get() > 0);
            queue(peers.near("carol")).work(task -> assertThat(task.attempt()).isEqualTo(1));
            untilDone(tasks);
        }
        assertThat(PipePeers.count(bob, Counter.TASKS_REPEATED)).isZero();
    }

    @Test
    void taskThatIsTooLarge_failsAtOnce() {
        Peer bob = peers.start(peers.builder("bob")
                .propagationTransport(peers.network.propagationProvider())
                .limits(limits -> limits.toBuilder()
                        .messages(limits.messages().toBuilder()
                                .maxMessageBytes(10_000)
                                .build())
                        .build()));
        queue(peers.near("alice")).work(task -> {});
        try (TaskSender sender = queue(bob).openSender()) {
            assertThat(failure(sender.send(Message.of("data", new byte[20_000])))
                            .code())
                    .isEqualTo(ErrorCode.MESSAGE_TOO_LARGE);
            Eventually.get(sender.send(task(1)), "a smaller task");
        }
    }

    @Test
    void largeTasks_beyondTheQueueOfAMessenger_areAllExecuted() {
        Queue<Long> sizes = new ConcurrentLinkedQueue<>();
        queue(peers.near("alice")).work(task -> sizes.add(task.message().payloadBytes()));
        Peer bob = peers.near("bob");
        try (TaskSender sender = queue(bob).openSender()) {
            List<CompletableFuture<Void>> tasks = IntStream.range(0, 12)
                    .mapToObj(i -> sender.send(Message.of("data", new byte[3_000_000])))
                    .toList();
            awaitAll(tasks);
        }
        assertThat(sizes).hasSize(12).allMatch(size -> size == 3_000_000);
    }

    @Test
    void lostWorker_itsTasksGoToAnother_asTheNextAttempt() throws Exception {
        ManualWorker alice = manualWorker("alice");
        Peer bob = peers.start(peers.impatient("bob").propagationTransport(peers.network.propagationProvider()));
        try (TaskSender sender = queueInManualTime(bob).openSender()) {
            List<CompletableFuture<Void>> tasks = send(sender, 3);
            until("no tasks at alice", () -> alice.waiting() == 3);
            peers.network.isolate(alice.id());
            ManualWorker carol = manualWorker("carol");
            until("no tasks at carol", () -> carol.waiting() == 3);
            List<PipeMessage> again = List.of(carol.next(), carol.next(), carol.next());
            assertThat(again.stream().map(WorkQueueTest::number)).containsExactlyInAnyOrder("0", "1", "2");
            assertThat(again).allMatch(task -> task.attempt() == 2);
            again.forEach(task -> task.respond(Message.EMPTY));
            awaitAll(tasks);
            awaitWorkers(sender, carol.id());
        }
    }

    @Test
    void closingWorker_endsTheTaskThatRuns_andGivesTheOthersBack() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        Queue<String> byAlice = new ConcurrentLinkedQueue<>();
        AsyncCloseable alice = queue(peers.near("alice")).work(task -> {
            begun.countDown();
            Eventually.latch(released, "the release");
            byAlice.add(number(task));
        });
        try (TaskSender sender = queueInManualTime(peers.near("bob")).openSender()) {
            List<CompletableFuture<Void>> tasks = send(sender, 4);
            until("the first task has not begun", () -> begun.getCount() == 0);
            Queue<String> byCarol = new ConcurrentLinkedQueue<>();
            CompletableFuture<Void> closed = alice.closeAsync();
            queue(peers.near("carol")).work(task -> byCarol.add(number(task)));
            untilDone(tasks.subList(1, 4));
            assertThat(byCarol).containsExactlyInAnyOrder("1", "2", "3");
            assertThat(tasks.get(0)).isNotDone();
            assertThat(closed).isNotDone();
            assertThat(alice.isClosed()).isFalse();
            released.countDown();
            Eventually.get(closed, "the close of the worker");
            awaitAll(tasks);
            assertThat(byAlice).containsExactly("0");
            assertThat(byCarol).hasSize(3);
        }
    }

    @Test
    void sender_withAsManyTasksAsItMayHave_refusesOne_orWaits() throws Exception {
        ManualWorker alice = manualWorker("alice");
        try (TaskSender sender = queue(peers.near("bob")).withCapacity(3, 1000).openSender()) {
            List<CompletableFuture<Void>> tasks = send(sender, 3);
            assertThat(sender.isWritable()).isFalse();
            ParleyException failure = failure(sender.send(task(3)));
            assertThat(failure.code()).isEqualTo(ErrorCode.QUEUE_FULL);
            assertThat(failure.getMessage()).contains("3 unfinished tasks (expected: <= 3");
            assertThatThrownBy(() -> sender.send(task(3), Duration.ofMillis(1)))
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT));
            CompletableFuture<Void> writable = sender.whenWritable();
            assertThat(writable).isNotDone();
            alice.confirmNext();
            Eventually.get(writable, "room");
            CompletableFuture<Void> further = sender.send(task(4), SOON);
            for (int i = 0; i < 3; i++) {
                alice.confirmNext();
            }
            awaitAll(tasks);
            Eventually.get(further, "the further task");
        }
    }

    private static Message bytes(int size) {
        return Message.of("data", new byte[size]);
    }

    @Test
    void sender_boundsTheBytesOfTasks_butAcceptsALargeTaskWhileThereIsRoom() {
        try (TaskSender sender =
                queue(peers.near("bob")).withCapacity(100, 1000).openSender()) {
            CompletableFuture<Void> small = sender.send(bytes(600));
            CompletableFuture<Void> large = sender.send(bytes(5000));
            assertThat(large).isNotDone();
            assertThat(failure(sender.send(task(1))).code()).isEqualTo(ErrorCode.QUEUE_FULL);
            CompletableFuture<Void> writable = sender.whenWritable();
            small.cancel(false);
            assertThat(writable).isNotDone();
            large.cancel(false);
            assertThat(writable).isCompleted();
            CompletableFuture<Void> next = sender.send(task(1));
            assertThat(next).isNotDone();
            next.cancel(false);
        }
    }

    @Test
    void sender_withAsManyBytesAsItMayHave_isNotWritable() {
        try (TaskSender sender =
                queue(peers.near("bob")).withCapacity(100, 1000).openSender()) {
            CompletableFuture<Void> one = sender.send(bytes(500));
            assertThat(sender.isWritable()).isTrue();
            CompletableFuture<Void> other = sender.send(bytes(500));
            assertThat(sender.isWritable()).isFalse();
            CompletableFuture<Void> writable = sender.whenWritable();
            assertThat(writable).isNotDone();
            one.cancel(false);
            assertThat(writable).isCompleted();
            assertThat(sender.isWritable()).isTrue();
            other.cancel(false);
        }
    }

    @Test
    void blockedSend_endsWhenTheSenderCloses() {
        TaskSender sender = queue(peers.near("bob")).withCapacity(1, 1000).openSender();
        CompletableFuture<Void> unsent = sender.send(task(1));
        CompletableFuture<Throwable> blocked = CompletableFuture.supplyAsync(() -> {
            try {
                sender.send(task(2), SOON);
                return new AssertionError("the task was accepted");
            } catch (Exception e) {
                return e;
            }
        });
        sender.closeAsync();
        Eventually.until(() -> "send still waits", blocked::isDone);
        assertThat(blocked.join()).isInstanceOf(ParleyException.class);
        assertThat(((ParleyException) blocked.join()).code()).isEqualTo(ErrorCode.CLOSED);
        unsent.cancel(false);
        Eventually.get(sender.whenClosed(), "the close");
    }

    @Test
    void cancelledTask_isNotExecuted() {
        Queue<String> executed = new ConcurrentLinkedQueue<>();
        try (TaskSender sender = queueInManualTime(peers.near("bob")).openSender()) {
            List<CompletableFuture<Void>> tasks = send(sender, 6);
            tasks.get(2).cancel(false);
            tasks.get(4).cancel(false);
            queue(peers.near("alice")).work(task -> executed.add(number(task)));
            untilDone(List.of(tasks.get(0), tasks.get(1), tasks.get(3), tasks.get(5)));
            assertThat(executed).containsExactlyInAnyOrder("0", "1", "3", "5");
            assertThat(sender.unfinishedTasks()).isZero();
        }
    }

    @Test
    void cancelledTasks_doNotPileUp() {
        try (TaskSender sender =
                queueInManualTime(peers.near("bob")).withCapacity(10, 1000).openSender()) {
            CompletableFuture<Void> kept = sender.send(task(0));
            for (int i = 1; i < 2000; i++) {
                sender.send(task(i)).cancel(false);
            }
            QueuedTaskSender queued = (QueuedTaskSender) sender;
            Eventually.until(
                    () -> queued.queuedTasks() + " tasks",
                    () -> queued.queuedTasks() > 0 && queued.queuedTasks() <= 20);
            queue(peers.near("alice")).work(task -> {});
            untilDone(List.of(kept));
        }
    }

    /** The bytes of a task that has ended are free for others, so they must not be kept. */
    @Test
    void cancelledTasks_keepNoPayloads() {
        try (TaskSender sender = queueInManualTime(peers.near("bob"))
                .withCapacity(1000, 1024 * 1024)
                .openSender()) {
            CompletableFuture<Void> kept = sender.send(task(0));
            List<WeakReference<Message>> messages = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                messages.add(sendAndCancel(sender, 512 * 1024));
            }
            Eventually.until(() -> "tasks without a worker", () -> ((QueuedTaskSender) sender).queuedTasks() > 100);
            Eventually.until(
                    () -> messages.stream()
                                    .filter(message -> message.get() != null)
                                    .count() + " messages are kept",
                    () -> {
                        System.gc();
                        return messages.stream().allMatch(message -> message.get() == null);
                    });
            kept.cancel(false);
        }
    }

    private static WeakReference<Message> sendAndCancel(TaskSender sender, int size) {
        Message task = bytes(size);
        sender.send(task).cancel(false);
        return new WeakReference<>(task);
    }

    @Test
    void tasks_waitWhileTooManyRequestsArePending() {
        Peer bob = peers.near("bob");
        Peer alice = peers.near("alice");
        queue(alice).work(task -> {});
        List<CompletableFuture<PipeMessage>> requests = new ArrayList<>();
        for (int i = 0; i < RequestClient.MAX_PENDING; i++) {
            requests.add(Pipes.of(bob).requestAsync("absent", task(i), SOON));
        }
        try (TaskSender sender = queue(bob).withMaxAttempts(1).openSender()) {
            List<CompletableFuture<Void>> tasks = send(sender, 5);
            awaitWorkers(sender, alice.id());
            assertThat(tasks).noneMatch(CompletableFuture::isDone);
            requests.forEach(request -> request.cancel(false));
            awaitAll(tasks);
        }
    }

    @Test
    void closedSender_waitsForItsTasks() throws Exception {
        ManualWorker alice = manualWorker("alice");
        TaskSender sender = queue(peers.near("bob")).openSender();
        List<CompletableFuture<Void>> tasks = send(sender, 2);
        Eventually.until(() -> "no tasks at alice", () -> alice.waiting() == 2);
        CompletableFuture<Void> closed = sender.closeAsync();
        assertThat(failure(sender.send(task(3))).code()).isEqualTo(ErrorCode.CLOSED);
        assertThat(failure(sender.whenWritable()).code()).isEqualTo(ErrorCode.CLOSED);
        alice.confirmNext();
        Eventually.get(tasks.get(0), "the first task");
        assertThat(closed).isNotDone();
        alice.confirmNext();
        Eventually.get(closed, "the close");
        awaitAll(tasks);
    }

    @Test
    void leftGroup_failsTheTasks_andSaysWhichMayHaveBeenExecuted() throws Exception {
        Peer peer = peers.near("alice");
        PeerGroup group = peers.near("bob").group("weather").join();
        PeerGroup working = peer.group("weather").join();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        Pipes.of(working).workQueue("render").work(task -> {
            begun.countDown();
            Eventually.latch(released, "the release");
        });
        TaskSender sender = Pipes.of(group).workQueue("render").withPrefetch(0).openSender();
        List<CompletableFuture<Void>> tasks = send(sender, 2);
        Eventually.latch(begun, "the first task");
        group.close();
        assertThat(failure(tasks.get(0)).code()).isEqualTo(ErrorCode.LOST);
        assertThat(failure(tasks.get(1)).code()).isEqualTo(ErrorCode.CLOSED);
        Eventually.get(sender.whenClosed(), "the close of the sender");
        assertThatThrownBy(() -> Pipes.of(group).workQueue("render").openSender())
                .isInstanceOf(ParleyException.class);
        released.countDown();
    }

    @Test
    void peer_canWorkForItself() {
        Peer alice = peers.near("alice");
        AtomicInteger executed = new AtomicInteger();
        queue(alice).work(task -> executed.incrementAndGet());
        try (TaskSender sender = queue(alice).openSender()) {
            awaitAll(send(sender, 10));
        }
        assertThat(executed).hasValue(10);
    }

    @Test
    void queueAndService_ofTheSameName_areApart() throws Exception {
        Peer alice = peers.near("alice");
        Pipes.of(alice).serve("render", request -> Message.of("answer", "of the service"));
        AtomicInteger executed = new AtomicInteger();
        queue(alice).work(task -> executed.incrementAndGet());
        Peer bob = peers.near("bob");
        try (TaskSender sender = queue(bob).openSender()) {
            awaitAll(send(sender, 3));
        }
        assertThat(executed).hasValue(3);
        assertThat(Pipes.of(bob).request("render", task(1), SOON).text("answer"))
                .contains("of the service");
    }

    @Test
    void senders_ofAGroup_areBounded() {
        Peer bob = peers.near("bob");
        List<TaskSender> open = new ArrayList<>();
        while (open.size() < QueuedTaskSender.MAX_SENDERS) {
            open.add(queue(bob).openSender());
        }
        assertThatThrownBy(() -> queue(bob).openSender())
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LOCAL_LIMIT));
        open.remove(0).close();
        open.add(queue(bob).openSender());
        open.forEach(TaskSender::closeAsync);
    }

    @Test
    void options_outOfRange_areRefused() {
        WorkQueue queue = queue(peers.near("bob"));
        for (Runnable bad : List.<Runnable>of(
                () -> queue.withMaxAttempts(0),
                () -> queue.withPrefetch(-1),
                () -> queue.withCapacity(0, 1),
                () -> queue.withCapacity(1, 0),
                () -> queue.withTaskTimeout(Duration.ZERO),
                () -> queue.work(task -> {}, 65))) {
            assertThatThrownBy(bad::run)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("expected");
        }
    }

    @Test
    void confirmation_statesTheConcurrency_withinBounds() {
        assertThat(TaskConfirmation.of(1)).isEqualTo(Message.EMPTY);
        assertThat(IntStream.of(1, 2, 64)
                        .mapToObj(number -> TaskConfirmation.concurrency(TaskConfirmation.of(number)))
                        .collect(Collectors.toList()))
                .containsExactly(1, 2, 64);
        assertThat(TaskConfirmation.concurrency(TaskConfirmation.of(127))).isEqualTo(64);
        assertThat(TaskConfirmation.concurrency(TaskConfirmation.of(200))).isEqualTo(1);
        assertThat(TaskConfirmation.concurrency(Message.of("Concurrency", new byte[] {9})))
                .isEqualTo(1);
    }
}
