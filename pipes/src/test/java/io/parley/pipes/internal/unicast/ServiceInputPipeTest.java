package io.parley.pipes.internal.unicast;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.common.internal.Counters;
import io.parley.common.internal.Registration;
import io.parley.endpoint.ReceivedMessage;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipePeers;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.RequestHandler;
import io.parley.pipes.internal.RequestCounters.Counter;
import io.parley.pipes.internal.request.UnreadResponsesFixture;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a service passes messages to its handler, without a network. The messages expect no response. */
@Timeout(60)
class ServiceInputPipeTest {

    private static final PeerId REQUESTER = Identity.generate().peerId();
    private static final PeerId OTHER = Identity.generate().peerId();
    private static final PipeTicket TICKET =
            new PipeTicket(PipeId.ofName(GroupId.NET, "calc"), PeerAddress.parse(OTHER + "@tcp://127.0.0.1:1"));
    private static final int SHARE = ServiceInputPipe.MAX_REQUESTS / 4;

    private final Counters<Counter> counters = new Counters<>(Counter.class);
    private final AtomicInteger unreleased = new AtomicInteger();
    private final AtomicInteger handled = new AtomicInteger();

    /** The pipe that a handler uses. */
    private ServiceInputPipe serving;

    private ServiceInputPipe serve(RequestHandler handler, Executor executor) {
        return serve(handler, executor, ServiceInputPipe.MAX_CONCURRENT);
    }

    private ServiceInputPipe serve(RequestHandler handler, Executor executor, int maxConcurrent) {
        return serve(
                handler, executor, maxConcurrent, received -> new PipeMessage(received.from(), received.message()));
    }

    private ServiceInputPipe serve(
            RequestHandler handler,
            Executor executor,
            int maxConcurrent,
            Function<ReceivedMessage, PipeMessage> reader) {
        ServiceInputPipe pipe = new ServiceInputPipe(
                TICKET,
                Duration.ofSeconds(1),
                handler,
                executor,
                maxConcurrent,
                reader,
                new ManualScheduler(),
                counter -> counters.add(counter, 1),
                new EndpointMetrics());
        pipe.bind(new Registration(() -> {}));
        return pipe;
    }

    private Message handle(PipeMessage request) {
        handled.incrementAndGet();
        return Message.EMPTY;
    }

    private ReceivedMessage message(PeerId from) {
        unreleased.incrementAndGet();
        return new ReceivedMessage() {
            @Override
            public PeerId from() {
                return from;
            }

            @Override
            public Message message() {
                return Message.of("text", "1 + 1");
            }

            @Override
            public void release() {
                unreleased.decrementAndGet();
            }
        };
    }

    @Test
    void tooManyRequests_ofOneRequester_areRefused_andNoOthers() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        ServiceInputPipe pipe = serve(this::handle, tasks::add);
        for (int i = 0; i < SHARE + 3; i++) {
            pipe.onMessage(message(REQUESTER));
        }
        assertThat(counters.get(Counter.REQUESTS_REFUSED)).isEqualTo(3);
        assertThat(unreleased).hasValue(SHARE);
        pipe.onMessage(message(OTHER));
        assertThat(counters.get(Counter.REQUESTS_REFUSED)).isEqualTo(3);
        assertThat(tasks).as("workers, which are started one after the other").hasSize(1);

        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        assertThat(handled).hasValue(SHARE + 1);
        assertThat(unreleased).hasValue(0);
        assertThat(pipe.requestCount()).isZero();
    }

    @Test
    void handlers_thatBlock_areBounded() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        CountDownLatch released = new CountDownLatch(1);
        AtomicInteger inside = new AtomicInteger();
        ServiceInputPipe pipe = serve(
                request -> {
                    inside.incrementAndGet();
                    Eventually.latch(released, "the release of the handlers");
                    return handle(request);
                },
                threads);
        int requests = ServiceInputPipe.MAX_CONCURRENT + 10;
        for (int i = 0; i < requests; i++) {
            pipe.onMessage(message(REQUESTER));
        }
        Eventually.until(() -> inside + " handlers run", () -> inside.get() == ServiceInputPipe.MAX_CONCURRENT);
        pipe.onMessage(message(REQUESTER)); // would start another one
        released.countDown();
        Eventually.until(() -> handled + " requests handled", () -> handled.get() == requests + 1);
        Eventually.until(() -> unreleased + " not released", () -> unreleased.get() == 0);
        assertThat(inside).hasValue(requests + 1);
        threads.shutdown();
    }

    @Test
    void handlers_ofAPipeForOneAtATime_runInTurn() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        ServiceInputPipe pipe = serve(
                request -> {
                    if (handled.get() < 4) {
                        serving.onMessage(message(OTHER)); // would start another worker
                    }
                    return handle(request);
                },
                tasks::add,
                1);
        serving = pipe;
        pipe.onMessage(message(REQUESTER));
        Runnable first = tasks.remove();
        assertThat(tasks).isEmpty();
        first.run();
        assertThat(tasks).as("further workers").isEmpty();
        assertThat(handled).hasValue(5);
    }

    @Test
    void closedPipe_isIdle_afterTheLastHandlerHasEnded() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        ServiceInputPipe pipe = serve(
                request -> {
                    serving.close();
                    assertThat(serving.whenIdle()).isNotDone();
                    return handle(request);
                },
                tasks::add);
        serving = pipe;
        pipe.onMessage(message(REQUESTER));
        pipe.onMessage(message(REQUESTER));
        assertThat(pipe.whenIdle()).isNotDone();
        tasks.remove().run();
        assertThat(pipe.whenIdle()).isCompleted();
        assertThat(handled).hasValue(1);
        assertThat(unreleased).hasValue(0);
    }

    @Test
    void closedPipe_isIdle_althoughARequesterDoesNotReadItsResponses() {
        PipePeers peers = new PipePeers();
        try {
            Peer requester = peers.near("requester");
            Peer holder =
                    peers.start(peers.impatient("holder").propagationTransport(peers.network.propagationProvider()));
            holder.endpoint().addPeerAddress(requester.address());
            UnreadResponsesFixture responses = new UnreadResponsesFixture(requester, holder);
            peers.network.isolate(requester.id()); // so that no response leaves the queue
            responses.fill();
            Queue<Runnable> tasks = new ArrayDeque<>();
            ServiceInputPipe pipe = serve(this::handle, tasks::add, 1, responses::request);
            pipe.onMessage(message(requester.id()));
            tasks.remove().run();
            assertThat(handled).hasValue(0);
            assertThat(unreleased).hasValue(1);
            pipe.close();
            assertThat(pipe.whenIdle()).isCompleted();
            assertThat(unreleased).hasValue(0);
            peers.network.restore(requester.id());
            Eventually.until(() -> "no room", responses::isWritable);
            assertThat(tasks).isEmpty();
            assertThat(pipe.requestCount()).isZero();
        } finally {
            peers.close();
        }
    }

    @Test
    void handlerThatFailsWithAnError_handlesTheNextRequest() {
        ServiceInputPipe pipe = serve(
                request -> {
                    handled.incrementAndGet();
                    throw new NoClassDefFoundError("of the handler");
                },
                Runnable::run);
        pipe.onMessage(message(REQUESTER));
        pipe.onMessage(message(REQUESTER));
        assertThat(handled).hasValue(2);
        assertThat(unreleased).hasValue(0);
    }

    @Test
    void failureWithoutADescription_handlesTheNextRequest() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        ServiceInputPipe pipe = serve(
                request -> {
                    if (handled.incrementAndGet() == 1) {
                        throw new UndescribedException();
                    }
                    return Message.EMPTY;
                },
                tasks::add,
                1);
        pipe.onMessage(message(REQUESTER));
        tasks.remove().run();
        assertThat(unreleased).hasValue(0);
        pipe.onMessage(message(REQUESTER));
        tasks.remove().run();
        assertThat(handled).hasValue(2);
        assertThat(unreleased).hasValue(0);
        assertThat(pipe.requestCount()).isZero();
    }

    @Test
    void interruptedHandler_doesNotInterruptTheNextRequest_andItsThreadKeepsTheInterrupt() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        List<Boolean> interrupted = new ArrayList<>();
        ServiceInputPipe pipe = serve(
                request -> {
                    interrupted.add(Thread.currentThread().isInterrupted());
                    if (interrupted.size() == 1) {
                        throw new InterruptedException("by the application");
                    }
                    return Message.EMPTY;
                },
                tasks::add,
                1);
        pipe.onMessage(message(REQUESTER));
        pipe.onMessage(message(REQUESTER));
        tasks.remove().run();
        assertThat(Thread.interrupted()).as("the interrupt of the thread").isTrue();
        assertThat(interrupted).containsExactly(false, false);
        assertThat(unreleased).hasValue(0);
    }

    @Test
    void executorWithoutAThread_refusesTheRequest_andGetsTheNextOne() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        AtomicInteger failures = new AtomicInteger(1);
        ServiceInputPipe pipe = serve(this::handle, task -> {
            if (failures.getAndDecrement() > 0) {
                throw new InternalError("no thread");
            }
            tasks.add(task);
        });
        pipe.onMessage(message(REQUESTER));
        assertThat(counters.get(Counter.REQUESTS_REFUSED)).isEqualTo(1);
        assertThat(unreleased).hasValue(0);
        pipe.onMessage(message(REQUESTER));
        tasks.remove().run();
        assertThat(handled).hasValue(1);
        assertThat(unreleased).hasValue(0);
    }

    @Test
    void executorThatRunsNoFurtherWorker_leavesTheRequestsToTheFirst() {
        Queue<Runnable> tasks = new ArrayBlockingQueue<>(1);
        AtomicInteger rejected = new AtomicInteger();
        ServiceInputPipe pipe = serve(
                request -> {
                    if (handled.get() == 0) {
                        serving.onMessage(message(OTHER));
                        serving.onMessage(message(OTHER));
                    }
                    return handle(request);
                },
                task -> {
                    if (!tasks.offer(task)) {
                        rejected.incrementAndGet();
                        throw new RejectedExecutionException("no more workers");
                    }
                });
        serving = pipe;
        pipe.onMessage(message(REQUESTER));
        tasks.element().run(); // and stays in the queue
        assertThat(rejected.get()).isPositive();
        assertThat(handled).hasValue(3);
        assertThat(counters.get(Counter.REQUESTS_REFUSED)).isZero();
        assertThat(unreleased).hasValue(0);
    }

    @Test
    void closedPipe_releasesWhatWaits_andHandlesNothing() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        ServiceInputPipe pipe = serve(this::handle, tasks::add);
        for (int i = 0; i < 3; i++) {
            pipe.onMessage(message(REQUESTER));
        }
        pipe.close();
        assertThat(unreleased).hasValue(0);
        tasks.forEach(Runnable::run);
        pipe.onMessage(message(REQUESTER));
        assertThat(handled).hasValue(0);
        assertThat(unreleased).hasValue(0);
        assertThat(pipe.requestCount()).isZero();
    }
}
