package io.parley.pipes.internal.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ApplicationException;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.pipes.InputPipe;
import io.parley.pipes.InterceptedTransportProvider;
import io.parley.pipes.ManualTimeGroup;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipePeers;
import io.parley.pipes.Pipes;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.pipes.internal.RequestCounters.Counter;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests through a pipe to one holder. Timeouts of requests are in manual time. */
@Timeout(120)
class RequestTest {

    private static final Duration SOON = Eventually.DEADLINE;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final PipePeers peers = new PipePeers();
    private final ManualScheduler time = new ManualScheduler();
    private final BlockingQueue<PipeMessage> received = new LinkedBlockingQueue<>();
    private Peer holder;
    private Peer requester;
    private Pipes pipes;

    @BeforeEach
    void start() {
        holder = start("holder");
        requester = start("requester");
        pipes = Pipes.of(ManualTimeGroup.of(requester.netGroup(), time));
    }

    @AfterEach
    void close() {
        peers.close();
    }

    private Peer start(String name) {
        return start(name, Identity.generate());
    }

    private Peer start(String name, Identity identity) {
        return peers.start(peers.builder(name)
                .identity(identity)
                .multicast(false)
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .reconnectTimeout(Duration.ofMillis(500))
                        .closeTimeout(Duration.ofSeconds(1))
                        .build()));
    }

    /** Returns a provider of transports that adds all their connections to a queue. */
    private InterceptedTransportProvider recordingTransport(Queue<Connection> connections) {
        return new InterceptedTransportProvider(peers.network.transportProvider(), (connection, method, arguments) -> {
            if (method.getName().equals("start")) {
                connections.add(connection);
            }
            return InterceptedTransportProvider.proceed(connection, method, arguments);
        });
    }

    private OutputPipe connect(InputPipe in) throws InterruptedException {
        return pipes.connect(in.ticket(), SOON);
    }

    private InputPipe listen() {
        return Pipes.of(holder).listen(PipeId.random(GroupId.NET), received::add);
    }

    private PipeMessage next() throws InterruptedException {
        PipeMessage next = received.poll(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(next).as("a message at the holder").isNotNull();
        return next;
    }

    private static Message text(String text) {
        return Message.of("text", text);
    }

    private static String responseText(CompletableFuture<PipeMessage> response) {
        return Eventually.get(response, "the response").text("text").orElseThrow();
    }

    private static ParleyException failure(CompletableFuture<?> future) {
        return (ParleyException) ParleyException.unwrap(Eventually.failure(future, "the request"));
    }

    private long count(Counter counter) {
        return PipePeers.count(requester, counter);
    }

    private void awaitCount(Counter counter, long expected) {
        Eventually.until(() -> counter + ": " + count(counter), () -> count(counter) == expected);
    }

    /** Waits until the endpoint of the holder has acknowledged the requests before. */
    private static void awaitAcknowledged(OutputPipe out) throws InterruptedException {
        out.send(text("after the requests"), SOON);
    }

    @Test
    void request_toAService_returnsTheResponse_withoutHeaders() throws Exception {
        InputPipe in = Pipes.of(holder)
                .serve(
                        PipeId.random(GroupId.NET),
                        request -> {
                            received.add(request);
                            return text("yes to " + request.text("text").orElseThrow());
                        },
                        Runnable::run);
        PipeMessage response = connect(in).request(text("rain?"), TIMEOUT);

        assertThat(response.message()).isEqualTo(text("yes to rain?"));
        assertThat(response.from()).isEqualTo(holder.id());
        assertThat(response.expectsResponse()).isFalse();
        PipeMessage request = next();
        assertThat(request.message()).isEqualTo(text("rain?"));
        assertThat(request.from()).isEqualTo(requester.id());
        assertThat(request.expectsResponse()).isTrue();
    }

    @Test
    void requests_answeredInReverse_getTheirOwnResponses() throws Exception {
        OutputPipe out = connect(listen());
        List<CompletableFuture<PipeMessage>> responses = new ArrayList<>();
        List<PipeMessage> requests = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            responses.add(out.requestAsync(text("request " + i), TIMEOUT));
        }
        for (int i = 0; i < 200; i++) {
            requests.add(0, next());
        }
        for (PipeMessage request : requests) {
            request.respond(text("response to " + request.text("text").orElseThrow()));
        }
        for (int i = 0; i < 200; i++) {
            assertThat(responseText(responses.get(i))).isEqualTo("response to request " + i);
        }
    }

    @Test
    void plainMessage_expectsNoResponse() throws Exception {
        connect(listen()).send(text("hello"), SOON);
        PipeMessage message = next();
        assertThat(message.expectsResponse()).isFalse();
        assertThatThrownBy(() -> message.respond(text("no"))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void respond_twice_isRefused() throws Exception {
        CompletableFuture<PipeMessage> response = connect(listen()).requestAsync(text("rain?"), TIMEOUT);
        PipeMessage request = next();
        request.respond(text("yes"));
        assertThatThrownBy(() -> request.respondError(1, "no")).isInstanceOf(IllegalStateException.class);
        assertThat(responseText(response)).isEqualTo("yes");
    }

    @Test
    void applicationError_arrivesWithCodeAndPrintableText() throws Exception {
        InputPipe in = Pipes.of(holder)
                .serve(
                        PipeId.random(GroupId.NET),
                        request -> {
                            throw new ApplicationException(-42, "no\u001b[31m such city\nreally");
                        },
                        Runnable::run);
        assertThat(failure(connect(in).requestAsync(text("rain?"), TIMEOUT)))
                .isInstanceOfSatisfying(ApplicationException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.APPLICATION_ERROR);
                    assertThat(e.applicationCode()).isEqualTo(-42);
                    assertThat(e.text()).isEqualTo("no [31m such city really");
                    assertThat(e.toString()).contains("-42");
                });
    }

    @Test
    void respondError_failsTheRequest() throws Exception {
        CompletableFuture<PipeMessage> response = connect(listen()).requestAsync(text("rain?"), TIMEOUT);
        next().respondError(7, "x".repeat(5000));
        assertThat(failure(response)).isInstanceOfSatisfying(ApplicationException.class, e -> {
            assertThat(e.applicationCode()).isEqualTo(7);
            assertThat(e.text()).isEqualTo("x".repeat(RequestFormat.MAX_TEXT_BYTES));
        });
    }

    @Test
    void handlerThatFails_doesNotLeakItsText() throws Exception {
        InputPipe in = Pipes.of(holder)
                .serve(
                        PipeId.random(GroupId.NET),
                        request -> {
                            throw new IllegalStateException("password: secret");
                        },
                        Runnable::run);
        ParleyException failure = failure(connect(in).requestAsync(text("rain?"), TIMEOUT));
        assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_FAILED);
        assertThat(failure.getMessage())
                .contains("java.lang.IllegalStateException")
                .doesNotContain("secret");
    }

    @Test
    void listenerThatFails_failsTheRequest() throws Exception {
        InputPipe in = Pipes.of(holder).listen(PipeId.random(GroupId.NET), request -> {
            throw new AssertionError("of the listener");
        });
        assertThat(failure(connect(in).requestAsync(text("rain?"), TIMEOUT)).code())
                .isEqualTo(ErrorCode.SERVICE_FAILED);
    }

    @Test
    void responseThatIsTooLarge_failsTheRequest() throws Exception {
        Peer small = peers.start(peers.builder("small")
                .multicast(false)
                .limits(limits -> limits.toBuilder()
                        .messages(limits.messages().toBuilder()
                                .maxMessageBytes(10_000)
                                .build())
                        .build()));
        InputPipe in = Pipes.of(holder)
                .serve(PipeId.random(GroupId.NET), request -> Message.of("data", new byte[20_000]), Runnable::run);
        OutputPipe out = Pipes.of(small).connect(in.ticket(), SOON);
        ParleyException failure = failure(out.requestAsync(text("rain?"), SOON));
        assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_FAILED);
        assertThat(failure.getMessage()).contains("MESSAGE_TOO_LARGE");
    }

    @Test
    void timeout_ofADeliveredRequest_saysSo_andTheLateResponseIsCounted() throws Exception {
        OutputPipe out = connect(listen());
        CompletableFuture<PipeMessage> response = out.requestAsync(text("rain?"), TIMEOUT);
        PipeMessage request = next();
        awaitAcknowledged(out);
        time.advance(TIMEOUT.minusMillis(1));
        assertThat(response).isNotDone();
        time.advance(Duration.ofMillis(20));
        ParleyException failure = failure(response);
        assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT);
        assertThat(failure.getMessage()).contains("it was delivered, and may have been executed");
        assertThat(count(Counter.REQUESTS_TIMED_OUT)).isEqualTo(1);

        Eventually.get(request.respond(text("too late")), "responding");
        awaitCount(Counter.RESPONSES_UNSOLICITED, 1);
    }

    @Test
    void timeouts_ofManyDurations_endInTheirOrder() throws Exception {
        OutputPipe out = connect(listen());
        CompletableFuture<PipeMessage> late = out.requestAsync(text("late"), Duration.ofMinutes(2));
        CompletableFuture<PipeMessage> soon = out.requestAsync(text("soon"), Duration.ofSeconds(1));
        time.advance(Duration.ofSeconds(2));
        failure(soon);
        assertThat(late).isNotDone();
        Eventually.until(() -> "the later request has no timeout", () -> {
            time.advance(Duration.ofMinutes(1));
            return late.isDone();
        });
        failure(late);
        assertThat(time.pendingWithin(Duration.ofDays(1))).as("timers").isZero();
    }

    /** A pipe whose window is full: the next messages wait in the queue of the sender. */
    private OutputPipe blocked(InputPipe unread) throws InterruptedException {
        OutputPipe out = connect(unread);
        while (!out.send(Message.of("filling", new byte[64 * 1024])).isCompletedExceptionally()) {
            if (!out.isWritable()) {
                break;
            }
        }
        // one message less, so that the queue has room
        Eventually.until(() -> "no message was received", () -> {
            try {
                return unread.receive(Duration.ZERO).isPresent();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        Eventually.until(() -> "no room in the queue", out::isWritable);
        return out;
    }

    private static List<String> readAll(InputPipe in, OutputPipe out) throws InterruptedException {
        CompletableFuture<Void> last = CompletableFuture.supplyAsync(() -> out)
                .thenCompose(OutputPipe::whenWritable)
                .thenCompose(writable -> out.send(text("last")));
        List<String> texts = new ArrayList<>();
        while (!texts.contains("last")) {
            in.receive(SOON).orElseThrow().text("text").ifPresent(texts::add);
        }
        Eventually.get(last, "the last message");
        return texts;
    }

    @Test
    void timeout_ofAQueuedRequest_saysSo_andItIsNeverSent() throws Exception {
        InputPipe unread = Pipes.of(holder).open(PipeId.random(GroupId.NET));
        OutputPipe out = blocked(unread);
        CompletableFuture<PipeMessage> response = out.requestAsync(text("rain?"), TIMEOUT);
        time.advance(TIMEOUT.plusMillis(20));
        ParleyException failure = failure(response);
        assertThat(failure.code()).isEqualTo(ErrorCode.TIMEOUT);
        assertThat(failure.getMessage()).contains("it was not delivered, and will not be executed");
        assertThat(readAll(unread, out)).containsExactly("last");
    }

    @Test
    void cancel_ofAQueuedRequest_removesItFromTheQueue() throws Exception {
        InputPipe unread = Pipes.of(holder).open(PipeId.random(GroupId.NET));
        OutputPipe out = blocked(unread);
        CompletableFuture<PipeMessage> response = out.requestAsync(text("rain?"), TIMEOUT);
        assertThat(response.cancel(false)).isTrue();
        assertThat(readAll(unread, out)).containsExactly("last");
    }

    @Test
    void response_ofAnotherPeer_isRejected() throws Exception {
        Peer stranger = peers.start(peers.builder("stranger").multicast(false));
        OutputPipe out = connect(listen());
        CompletableFuture<PipeMessage> response = out.requestAsync(text("rain?"), TIMEOUT);
        PipeMessage request = next();
        stranger.endpoint().addPeerAddress(requester.address());
        for (long id = 0; id < 8; id++) {
            Eventually.get(
                    stranger.endpoint()
                            .send(
                                    requester.id(),
                                    new ServiceAddress("response", "0"),
                                    RequestFormat.response(text("forged"), id)),
                    "sending");
        }
        awaitCount(Counter.RESPONSES_REJECTED, 1);
        awaitCount(Counter.RESPONSES_UNSOLICITED, 7);
        request.respond(text("yes"));
        assertThat(responseText(response)).isEqualTo("yes");
    }

    @Test
    void malformedHeaders_areCounted_andNothingElse() throws Exception {
        OutputPipe out = connect(listen());
        CompletableFuture<PipeMessage> response = out.requestAsync(text("rain?"), TIMEOUT);
        PipeMessage request = next();
        for (byte[] header : List.of(new byte[0], new byte[] {(byte) 0x80}, new byte[] {1, 9}, new byte[] {1, 1})) {
            Message malformed =
                    Message.of(MessageElement.of("Response", header).withNamespace(RequestFormat.NAMESPACE));
            holder.endpoint().send(requester.id(), new ServiceAddress("response", "0"), malformed);
        }
        awaitCount(Counter.RESPONSES_REJECTED, 4);
        Message badRequest = text("bad")
                .with(MessageElement.of("Request", new byte[] {127, 1, 1}).withNamespace(RequestFormat.NAMESPACE));
        out.send(badRequest, SOON);
        PipeMessage plain = next();
        assertThat(plain.expectsResponse()).isFalse();
        assertThat(plain.message()).isEqualTo(text("bad"));
        request.respond(text("yes"));
        assertThat(responseText(response)).isEqualTo("yes");
    }

    @Test
    void tooManyRequests_areRefused_untilOneEnds() throws Exception {
        OutputPipe out = connect(Pipes.of(holder).listen(PipeId.random(GroupId.NET), ignored -> {}));
        List<CompletableFuture<PipeMessage>> pending = new ArrayList<>();
        while (pending.size() < RequestClient.MAX_PENDING) {
            Eventually.get(out.whenWritable(), "room in the queue");
            CompletableFuture<PipeMessage> response = out.requestAsync(text("rain?"), TIMEOUT);
            if (!response.isDone()) {
                pending.add(response);
            }
        }
        ParleyException failure = failure(out.requestAsync(text("rain?"), TIMEOUT));
        assertThat(failure.code()).isEqualTo(ErrorCode.QUEUE_FULL);
        assertThat(failure.getMessage()).contains("4096");
        assertThat(pending.get(17).cancel(false)).isTrue();
        Eventually.get(out.whenWritable(), "room in the queue");
        assertThat(out.requestAsync(text("rain?"), TIMEOUT)).isNotDone();
    }

    @Test
    void respond_afterTheRequesterHasGone_fails() throws Exception {
        CompletableFuture<PipeMessage> response = connect(listen()).requestAsync(text("rain?"), TIMEOUT);
        PipeMessage request = next();
        requester.close();
        failure(response);
        assertThat(request.respond(text("yes"))).failsWithin(SOON);
    }

    @Test
    void requester_thatIsConnectedAgainInTime_getsItsResponses_thoughItsNextConnectionBreaks() throws Exception {
        Duration reconnectTimeout = Duration.ofMinutes(2);
        Queue<Connection> connections = new ConcurrentLinkedQueue<>();
        Peer responder = peers.start(Peer.builder()
                .name("responder")
                .transport(recordingTransport(connections))
                .multicast(false)
                .limits(limits -> limits.toBuilder()
                        .reconnectTimeout(reconnectTimeout)
                        .closeTimeout(Duration.ofSeconds(1))
                        .build())
                .listen("mem://responder"));
        ManualScheduler responderTime = new ManualScheduler();
        PeerGroup group = ManualTimeGroup.of(responder.netGroup(), responderTime);
        OutputPipe out = connect(Pipes.of(group).listen(PipeId.random(GroupId.NET), received::add));
        CompletableFuture<PipeMessage> first = out.requestAsync(text("rain?"), Duration.ofMinutes(5));
        out.requestAsync(text("snow?"), Duration.ofMinutes(5));
        next().respond(text("no"));
        responseText(first);
        PipeMessage second = next();

        connections.forEach(connection -> connection.abort(null));
        Eventually.until(() -> "no loss", () -> responderTime.pending() == 1);
        Eventually.until(() -> "no connection", () -> responder.endpoint().isConnected(requester.id()));
        responderTime.advance(reconnectTimeout.minusSeconds(1));
        peers.network.isolate(requester.id());
        connections.forEach(connection -> connection.abort(null));
        Eventually.until(() -> "no further loss", () -> responderTime.pending() == 2);
        CompletableFuture<Void> response = second.respond(text("yes"));
        responderTime.advance(Duration.ofSeconds(1));
        awaitWork(group);
        assertThat(response).isNotDone();
        responderTime.advance(reconnectTimeout);
        failure(response);
    }

    @Test
    void closedPipe_losesItsDeliveredRequests() throws Exception {
        OutputPipe out = connect(listen());
        CompletableFuture<PipeMessage> response = out.requestAsync(text("rain?"), TIMEOUT);
        next();
        out.close();
        assertThat(failure(response).code()).isEqualTo(ErrorCode.LOST);
        assertThat(failure(out.requestAsync(text("rain?"), TIMEOUT)).code()).isEqualTo(ErrorCode.CLOSED);
    }

    @Test
    void holder_thatIsConnectedAgainInTime_keepsItsRequests_thoughItsNextConnectionBreaks() throws Exception {
        Queue<Connection> connections = new ConcurrentLinkedQueue<>();
        Peer flaky = peers.start(Peer.builder()
                .name("flaky")
                .transport(recordingTransport(connections))
                .multicast(false)
                .listen("mem://flaky"));
        PeerGroup group = ManualTimeGroup.of(flaky.netGroup(), time);
        OutputPipe out = Pipes.of(group).connect(listen().ticket(), SOON);
        CompletableFuture<PipeMessage> response = out.requestAsync(text("rain?"), Duration.ofMinutes(1));
        awaitAcknowledged(out);

        connections.forEach(connection -> connection.abort(null));
        Eventually.until(() -> "no loss", () -> time.pendingWithin(RequestClient.LOSS_DELAY) == 1);
        Eventually.until(() -> "no connection", () -> flaky.endpoint().isConnected(holder.id()));
        time.advance(Duration.ofMillis(900));
        peers.network.isolate(holder.id());
        connections.forEach(connection -> connection.abort(null));
        Eventually.until(() -> "no further loss", () -> time.pendingWithin(RequestClient.LOSS_DELAY) == 2);
        time.advance(Duration.ofMillis(999));
        awaitWork(group);
        assertThat(response).isNotDone();
        time.advance(Duration.ofMillis(1));
        assertThat(failure(response).code()).isEqualTo(ErrorCode.LOST);
    }

    /** Any peer can connect as often as it likes. */
    @Test
    void connectionsOfOtherPeers_visitNoRequest() {
        AtomicInteger visits = new AtomicInteger();
        PeerId absent = Identity.generate().peerId();
        Messenger messenger = (Messenger) Proxy.newProxyInstance(
                Messenger.class.getClassLoader(),
                new Class<?>[] {Messenger.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "peer" -> {
                        visits.incrementAndGet();
                        yield absent;
                    }
                    case "send", "whenClosed" -> new CompletableFuture<>();
                    case "toString" -> "messenger";
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        PeerGroup group = ManualTimeGroup.of(requester.netGroup(), time);
        PipeRequestRoute route =
                new PipeRequestRoute(PipeRequests.of(group).client(PipeSecurity.PLAIN), messenger, false);
        for (int i = 0; i < 1000; i++) {
            route.request(text("rain?"), Duration.ofMinutes(1));
        }
        CountDownLatch events = new CountDownLatch(2);
        requester
                .endpoint()
                .addPeerConnectionListener(
                        new PeerConnectionListener() { // after that of the client
                            @Override
                            public void onConnected(PeerId peer) {
                                events.countDown();
                            }

                            @Override
                            public void onDisconnected(PeerId peer) {
                                events.countDown();
                            }
                        });
        int before = visits.get();
        connectToRequester();
        holder.close();
        Eventually.latch(events, "the events of the other peer");
        awaitWork(group);
        assertThat(visits.get() - before).as("looks at the messenger").isLessThanOrEqualTo(2);
    }

    /** Sends a request that the holder has acknowledged when its connection is lost. */
    private CompletableFuture<PipeMessage> sendBeforeALoss(PeerGroup group) {
        CompletableFuture<PipeMessage> response = send(group, CompletableFuture.completedFuture(null));
        awaitLoss();
        return response;
    }

    /** The event of the connection may notice the loss too, if it comes after the acknowledgement. */
    private void awaitLoss() {
        Eventually.until(() -> "the loss is not noticed", () -> time.pendingWithin(RequestClient.LOSS_DELAY) >= 1);
    }

    /** Sends a request whose acknowledgement the test decides. */
    private CompletableFuture<PipeMessage> send(PeerGroup group, CompletableFuture<Void> acknowledgement) {
        return send(group, acknowledgement, OptionalLong.empty());
    }

    /** @param instance the run of the holder to which the messenger sends */
    private CompletableFuture<PipeMessage> send(
            PeerGroup group, CompletableFuture<Void> acknowledgement, OptionalLong instance) {
        Messenger messenger = (Messenger) Proxy.newProxyInstance(
                Messenger.class.getClassLoader(),
                new Class<?>[] {Messenger.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "send" -> acknowledgement;
                    case "peer" -> holder.id();
                    case "remoteInstance" -> instance;
                    case "whenClosed" -> new CompletableFuture<>();
                    case "toString" -> "messenger";
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        RequestClient client = PipeRequests.of(group).client(PipeSecurity.PLAIN);
        return new PipeRequestRoute(client, messenger, false).request(text("rain?"), Duration.ofMinutes(1));
    }

    /** A search of the queue takes long if it is full, and the holder decides when it responds. */
    @ParameterizedTest
    @EnumSource(
            value = RequestFormat.Kind.class,
            names = {"APPLICATION_ERROR", "SERVICE_ERROR"})
    void request_thatIsAnsweredBeforeItIsAcknowledged_isNotSearchedInTheQueue(RequestFormat.Kind kind) {
        PeerGroup group = ManualTimeGroup.of(requester.netGroup(), time);
        List<CompletableFuture<Void>> sent = List.of(new CompletableFuture<>(), new CompletableFuture<>());
        holder.endpoint().addPeerAddress(requester.address());
        for (int i = 0; i < sent.size(); i++) {
            CompletableFuture<PipeMessage> response = send(group, sent.get(i));
            holder.endpoint()
                    .send(
                            requester.id(),
                            RequestFormat.responseService(0),
                            RequestFormat.error(i + 1, kind, ErrorCode.SERVICE_FAILED.number(), "no"));
            failure(response);
        }
        assertThat(sent.get(0))
                .as("the first one, whose response was handled before that of the second")
                .isNotDone();
    }

    private static void awaitWork(PeerGroup group) {
        CountDownLatch done = new CountDownLatch(1);
        group.workExecutor().execute(done::countDown);
        Eventually.latch(done, "the work before");
    }

    @Test
    void request_thatIsAcknowledgedWhenTheConnectionIsLost_isLost_ifTheHolderDoesNotReturn() {
        CompletableFuture<PipeMessage> response = sendBeforeALoss(ManualTimeGroup.of(requester.netGroup(), time));
        assertThat(response).isNotDone();
        time.advance(RequestClient.LOSS_DELAY);
        assertThat(failure(response).code()).isEqualTo(ErrorCode.LOST);
    }

    @Test
    void request_thatIsAcknowledgedWhenTheConnectionIsLost_stays_ifTheHolderReturns() {
        PeerGroup group = ManualTimeGroup.of(requester.netGroup(), time);
        CompletableFuture<PipeMessage> response = sendBeforeALoss(group);
        connectToRequester();
        awaitWork(group);
        time.advance(RequestClient.LOSS_DELAY);
        awaitWork(group);
        assertThat(response).isNotDone();
    }

    private void connectToRequester() {
        Eventually.get(holder.endpoint().connect(EndpointAddress.parse("mem://requester")), "a connection");
        Eventually.until(() -> "no connection", () -> requester.endpoint().isConnected(holder.id()));
    }

    @Test
    void request_thatIsAcknowledgedWhenTheConnectionIsLost_isLost_ifTheHolderRestarts() {
        Identity identity = Identity.generate();
        holder = start("before", identity);
        connectToRequester();
        CompletableFuture<Void> acknowledgement = new CompletableFuture<>();
        CompletableFuture<PipeMessage> response = send(ManualTimeGroup.of(requester.netGroup(), time), acknowledgement);
        holder.close();
        Eventually.until(() -> "connected", () -> !requester.endpoint().isConnected(holder.id()));
        acknowledgement.complete(null);
        awaitLoss();
        assertThat(response).isNotDone();
        holder = start("after", identity);
        connectToRequester();
        ParleyException failure = failure(response);
        assertThat(failure.code()).isEqualTo(ErrorCode.LOST);
        assertThat(failure.getMessage()).contains("has restarted");
    }

    @Test
    void request_thatAnEarlierRunHasAcknowledged_isLost_ifTheNextOneIsConnectedAlready() {
        Identity identity = Identity.generate();
        holder = start("before", identity);
        connectToRequester();
        CompletableFuture<Void> acknowledgement = new CompletableFuture<>();
        PeerGroup group = ManualTimeGroup.of(requester.netGroup(), time);
        CompletableFuture<PipeMessage> response =
                send(group, acknowledgement, requester.endpoint().remoteInstance(holder.id()));
        holder.close();
        Eventually.until(() -> "connected", () -> !requester.endpoint().isConnected(holder.id()));
        holder = start("after", identity);
        connectToRequester();
        awaitWork(group);
        acknowledgement.complete(null); // which has arrived before
        ParleyException failure = failure(response);
        assertThat(failure.code()).isEqualTo(ErrorCode.LOST);
        assertThat(failure.getMessage()).contains("has restarted");
    }

    @Test
    void leftGroup_losesItsDeliveredRequests() throws Exception {
        PeerGroup group = requester.group("weather").join();
        InputPipe in = listen();
        OutputPipe out = Pipes.of(group).connect(in.ticket(), SOON);
        CompletableFuture<PipeMessage> response = out.requestAsync(text("rain?"), SOON);
        next();
        group.close();
        assertThat(failure(response).code()).isEqualTo(ErrorCode.LOST);
        assertThat(failure(out.requestAsync(text("rain?"), SOON)).code()).isEqualTo(ErrorCode.CLOSED);
    }

    @Test
    void closedInputPipe_refusesQueuedRequests() throws Exception {
        InputPipe in = Pipes.of(holder).open(PipeId.random(GroupId.NET));
        OutputPipe out = connect(in);
        CompletableFuture<PipeMessage> response = out.requestAsync(text("rain?"), TIMEOUT);
        awaitAcknowledged(out);
        in.close();
        ParleyException failure = failure(response);
        assertThat(failure.code()).isEqualTo(ErrorCode.NO_SUCH_SERVICE);
        assertThat(failure.getMessage()).contains("was not executed");
    }

    @Test
    void service_whoseExecutorRejects_isBusy() throws Exception {
        InputPipe in = Pipes.of(holder).serve(PipeId.random(GroupId.NET), request -> text("yes"), task -> {
            throw new RejectedExecutionException("full");
        });
        assertThat(failure(connect(in).requestAsync(text("rain?"), TIMEOUT)).code())
                .isEqualTo(ErrorCode.BUSY);
    }

    @Test
    void requestThatExpiresAtTheService_isNotExecuted() throws Exception {
        ManualScheduler holderTime = new ManualScheduler();
        Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        Pipes serving = Pipes.of(ManualTimeGroup.of(holder.netGroup(), holderTime));
        InputPipe in = serving.serve(
                PipeId.random(GroupId.NET),
                request -> {
                    received.add(request);
                    return text("yes");
                },
                tasks::add);
        OutputPipe out = connect(in);
        out.requestAsync(text("late"), TIMEOUT);
        CompletableFuture<PipeMessage> response = out.requestAsync(text("in time"), Duration.ofMinutes(1));
        awaitAcknowledged(out);
        Eventually.until(() -> "no task", () -> !tasks.isEmpty());
        holderTime.advance(TIMEOUT.plusSeconds(1));
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        assertThat(responseText(response)).isEqualTo("yes");
        assertThat(next().text("text")).contains("in time");
        assertThat(PipePeers.count(holder, Counter.REQUESTS_EXPIRED)).isEqualTo(1);
    }

    @Test
    void handlers_runConcurrently() throws Exception {
        int concurrent = 4;
        CyclicBarrier all = new CyclicBarrier(concurrent);
        InputPipe in = Pipes.of(holder)
                .serve(
                        PipeId.random(GroupId.NET),
                        request -> {
                            all.await(SOON.toSeconds(), TimeUnit.SECONDS);
                            return text("yes");
                        },
                        holder.netGroup().callbackExecutor());
        OutputPipe out = connect(in);
        List<CompletableFuture<PipeMessage>> responses = new ArrayList<>();
        for (int i = 0; i < concurrent; i++) {
            responses.add(out.requestAsync(text("rain?"), TIMEOUT));
        }
        responses.forEach(response -> assertThat(responseText(response)).isEqualTo("yes"));
    }

    @Test
    void largeResponses_beyondTheQueue_allArrive() throws Exception {
        byte[] large = new byte[700_000];
        InputPipe in =
                Pipes.of(holder).serve(PipeId.random(GroupId.NET), request -> Message.of("data", large), Runnable::run);
        OutputPipe out = connect(in);
        List<CompletableFuture<PipeMessage>> responses = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            responses.add(out.requestAsync(text("rain?"), TIMEOUT));
        }
        for (CompletableFuture<PipeMessage> response : responses) {
            assertThat(Eventually.get(response, "the response").message().payloadBytes())
                    .isEqualTo(large.length);
        }
    }

    @Test
    void request_toOneself_works() throws Exception {
        InputPipe in = Pipes.of(requester).serve(PipeId.random(GroupId.NET), request -> text("yes"), Runnable::run);
        assertThat(connect(in).request(text("rain?"), TIMEOUT).text("text")).contains("yes");
    }
}
