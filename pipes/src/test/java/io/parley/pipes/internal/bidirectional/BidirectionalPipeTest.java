package io.parley.pipes.internal.bidirectional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import io.parley.error.InvalidCallException;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.BidirectionalPipe;
import io.parley.pipes.BidirectionalPipeListener;
import io.parley.pipes.BidirectionalPipes;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.PipeAcceptor;
import io.parley.pipes.PipeConnectRequest;
import io.parley.pipes.PipeLimits;
import io.parley.pipes.Pipes;
import io.parley.pipes.internal.PipeOptions;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bidirectional pipes over {@code mem://}, and the basic exchange over TCP with TLS. */
@Timeout(120)
class BidirectionalPipeTest {

    private static final Duration SOON = Eventually.DEADLINE;
    private static final PipeId ID = PipeId.random(GroupId.NET);

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> peers = new ArrayList<>();
    private final BlockingQueue<BidirectionalPipe> accepted = new LinkedBlockingQueue<>();
    private final Peer host = start("host");
    private final Peer guest = start("guest");

    private Peer start(String name) {
        return start(builder(name));
    }

    private PeerBuilder builder(String name) {
        return Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .multicast(false)
                .listen("mem://" + name);
    }

    /** Starts a peer that notices a silent peer after 600 ms. */
    private Peer startImpatient(String name, Duration reconnectTimeout) {
        return start(builder(name)
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .keepAliveInterval(Duration.ofMillis(200))
                        .reconnectTimeout(reconnectTimeout)
                        .connectTimeout(Duration.ofMillis(500))
                        .handshakeTimeout(Duration.ofMillis(500))
                        .build()));
    }

    private Peer start(PeerBuilder builder) {
        Peer peer = builder.start();
        peers.add(peer);
        return peer;
    }

    @AfterEach
    void close() {
        for (int i = peers.size() - 1; i >= 0; i--) {
            peers.get(i).close();
        }
    }

    private PipeAcceptor accept() {
        return BidirectionalPipes.of(host).accept(ID, request -> accepted.add(request.accept()));
    }

    private PipeAcceptor accept(Consumer<PipeConnectRequest> handler) {
        return BidirectionalPipes.of(host).accept(ID, handler);
    }

    private BidirectionalPipe connect(PipeAcceptor acceptor) throws InterruptedException {
        return BidirectionalPipes.of(guest).connect(acceptor.ticket(), SOON);
    }

    private BidirectionalPipe accepted() throws InterruptedException {
        BidirectionalPipe pipe = accepted.poll(SOON.toSeconds(), TimeUnit.SECONDS);
        assertThat(pipe).as("the accepted end").isNotNull();
        return pipe;
    }

    private static Message text(String text) {
        return Message.of("text", text);
    }

    private static String receive(BidirectionalPipe pipe) throws InterruptedException {
        return pipe.receive(SOON).orElseThrow().text("text").orElseThrow();
    }

    private static void assertCode(ErrorCode code, Throwable failure) {
        assertThat(ParleyException.unwrap(failure))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private static void assertReceiveFails(BidirectionalPipe pipe, ErrorCode code) {
        assertThatThrownBy(() -> pipe.receive(SOON)).satisfies(e -> assertCode(code, e));
    }

    private static void assertSendFails(BidirectionalPipe pipe, ErrorCode code) {
        Eventually.until(
                () -> "sends still succeed", () -> pipe.send(text("late")).isCompletedExceptionally());
        assertCode(code, Eventually.failure(pipe.send(text("later")), "the failure of a send"));
    }

    private static void awaitClosed(BidirectionalPipe... pipes) {
        for (BidirectionalPipe pipe : pipes) {
            Eventually.get(pipe.whenClosed(), "the close of " + pipe);
        }
    }

    private static void exchange(Peer one, Peer other) throws InterruptedException {
        BlockingQueue<BidirectionalPipe> pipes = new LinkedBlockingQueue<>();
        try (PipeAcceptor acceptor = BidirectionalPipes.of(one)
                .withHello(text("welcome"))
                .accept(ID, request -> {
                    assertThat(request.hello()).isEqualTo(text("hello"));
                    pipes.add(request.accept());
                })) {
            BidirectionalPipe near =
                    BidirectionalPipes.of(other).withHello(text("hello")).connect(acceptor.ticket(), SOON);
            BidirectionalPipe far = pipes.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(far).isNotNull();
            assertThat(near.remotePeer()).isEqualTo(one.id());
            assertThat(far.remotePeer()).isEqualTo(other.id());
            assertThat(near.hello()).isEqualTo(text("welcome"));
            assertThat(far.hello()).isEqualTo(text("hello"));
            for (int i = 0; i < 500; i++) {
                near.send(text("there " + i));
                far.send(text("back " + i));
            }
            for (int i = 0; i < 500; i++) {
                assertThat(receive(far)).isEqualTo("there " + i);
                assertThat(receive(near)).isEqualTo("back " + i);
            }
            near.close();
            assertThat(far.receive(SOON)).isEmpty();
            far.close();
            awaitClosed(near, far);
        }
    }

    @Test
    void messages_arriveInOrderInBothDirections() throws Exception {
        exchange(host, guest);
    }

    @Test
    void messages_overTcpWithTls_connectingPeerHasNoAddress() throws Exception {
        exchange(start(Peer.loopback()), start(Peer.builder()));
    }

    @Test
    void connect_byName_findsThePublishedAcceptor() throws Exception {
        Peer rendezvous = start(Peer.builder()
                .transport(network.transportProvider())
                .multicast(false)
                .actAsRendezvous()
                .listen("mem://rendezvous"));
        Peer one = start(edge("one"));
        Peer other = start(edge("other"));
        assertThat(rendezvous.isClosing()).isFalse();
        try (PipeAcceptor acceptor =
                BidirectionalPipes.of(one).accept("oracle", request -> accepted.add(request.accept()))) {
            try (BidirectionalPipe pipe = BidirectionalPipes.of(other).connect("oracle", SOON)) {
                pipe.send(text("rain?"));
                assertThat(receive(accepted())).isEqualTo("rain?");
            }
            try (BidirectionalPipe pipe = BidirectionalPipes.of(other).connect(acceptor.id(), SOON)) {
                assertThat(pipe.remotePeer()).isEqualTo(one.id());
            }
        }
    }

    private PeerBuilder edge(String name) {
        return builder(name).rendezvous("mem://rendezvous");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void closeOutput_endsOneDirection_theOtherContinues(boolean byGuest) throws Exception {
        try (PipeAcceptor acceptor = accept()) {
            BidirectionalPipe near = connect(acceptor);
            BidirectionalPipe far = accepted();
            BidirectionalPipe first = byGuest ? near : far;
            BidirectionalPipe second = byGuest ? far : near;
            first.send(text("last"));
            Eventually.get(first.closeOutput(), "the acknowledgement of the end");
            assertCode(ErrorCode.CLOSED, Eventually.failure(first.send(text("no")), "the failure"));
            assertThat(receive(second)).isEqualTo("last");
            assertThat(second.receive(SOON)).isEmpty();
            assertThat(second.receiveAsync().join()).isEmpty();

            second.send(text("response"), SOON);
            assertThat(receive(first)).isEqualTo("response");
            assertThat(first.isClosed()).isFalse();
            Eventually.get(second.closeOutput(), "the acknowledgement of the end");
            assertThat(first.receive(SOON)).isEmpty();
            awaitClosed(first, second);
        }
    }

    @Test
    void close_fromBothSidesAtTheSameTime_completes() throws Exception {
        try (PipeAcceptor acceptor = accept()) {
            for (int i = 0; i < 50; i++) {
                BidirectionalPipe near = connect(acceptor);
                BidirectionalPipe far = accepted();
                near.send(text("1"));
                far.send(text("2"));
                near.closeAsync();
                far.closeAsync();
                awaitClosed(near, far);
            }
        }
    }

    @Test
    void close_sendsTheQueueFirst_alsoIfItIsFull() throws Exception {
        try (PipeAcceptor acceptor = accept()) {
            BidirectionalPipe near = connect(acceptor);
            BidirectionalPipe far = accepted();
            int sent = 0;
            Message large = Message.of("data", new byte[256 * 1024]);
            while (near.isWritable()) {
                near.send(large);
                sent++;
            }
            near.closeAsync();
            for (int i = 0; i < sent; i++) {
                assertThat(far.receive(SOON)).contains(large);
            }
            assertThat(far.receive(SOON)).isEmpty();
            awaitClosed(near);
        }
    }

    @Test
    void fail_otherPeerGetsTheReasonAfterTheMessages() throws Exception {
        try (PipeAcceptor acceptor = accept()) {
            BidirectionalPipe near = connect(acceptor);
            BidirectionalPipe far = accepted();
            far.send(text("last"));
            far.fail(ErrorCode.EXPIRED.exception("too late"));
            assertThat(receive(near)).isEqualTo("last");
            assertThatThrownBy(() -> near.receive(SOON))
                    .hasMessageContaining("too late")
                    .satisfies(e -> assertCode(ErrorCode.EXPIRED, e));
            assertSendFails(near, ErrorCode.EXPIRED);
            awaitClosed(near, far);
        }
    }

    @Test
    void abort_otherPeerIsDisconnected() throws Exception {
        try (PipeAcceptor acceptor = accept()) {
            BidirectionalPipe near = connect(acceptor);
            BidirectionalPipe far = accepted();
            near.send(text("1"), SOON);
            near.abort();
            assertThat(receive(far)).isEqualTo("1");
            assertReceiveFails(far, ErrorCode.DISCONNECTED);
            assertSendFails(far, ErrorCode.DISCONNECTED);
            awaitClosed(near, far);
        }
    }

    @Test
    void refuse_connectFailsWithTheReason() throws Exception {
        try (PipeAcceptor acceptor =
                accept(request -> request.refuse(ErrorCode.NO_SUCH_SERVICE.exception("another purpose")))) {
            assertThatThrownBy(() -> connect(acceptor))
                    .hasMessageContaining("another purpose")
                    .satisfies(e -> assertCode(ErrorCode.NO_SUCH_SERVICE, e));
        }
    }

    @Test
    void handlerFails_connectFails_withoutItsMessage() throws Exception {
        try (PipeAcceptor acceptor = accept(request -> {
            throw new IllegalStateException("secret");
        })) {
            assertThatThrownBy(() -> connect(acceptor))
                    .hasMessageNotContaining("secret")
                    .satisfies(e -> assertCode(ErrorCode.SERVICE_FAILED, e));
        }
    }

    @Test
    void handlerFailsOnManyRequests_makesOneLineOfLog() throws Exception {
        try (PipeAcceptor acceptor = accept(request -> {
                    throw new IllegalStateException("failed");
                });
                CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> connect(acceptor)).satisfies(e -> assertCode(ErrorCode.SERVICE_FAILED, e));
            }
            assertThat(log.lines("Handler of")).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void handlerExecutorFailsOnce_requestIsRefusedAsBusy_andItsPlaceIsFree(boolean full) throws Exception {
        AtomicBoolean failing = new AtomicBoolean(true);
        Executor executor = task -> {
            if (!failing.getAndSet(false)) {
                task.run();
            } else if (full) {
                throw new RejectedExecutionException("on purpose");
            } else {
                throw new InternalError("on purpose");
            }
        };
        PipeLimits limits = new PipeLimits(1, 1, 10, 10, SOON);
        try (PipeAcceptor acceptor = BidirectionalPipes.of(host)
                .withLimits(limits)
                .accept(ID, request -> accepted.add(request.accept()), executor)) {
            assertThatThrownBy(() -> connect(acceptor))
                    .hasMessageContaining("no thread for the handler")
                    .satisfies(e -> assertCode(ErrorCode.BUSY, e));
            assertThat(connect(acceptor).remotePeer()).isEqualTo(host.id());
        }
    }

    @Test
    void undecidedRequest_isRefusedAfterTheAcceptTimeout_andCannotBeAccepted() throws Exception {
        PipeLimits limits = new PipeLimits(10, 10, 10, 10, Duration.ofMillis(100));
        BlockingQueue<PipeConnectRequest> requests = new LinkedBlockingQueue<>();
        try (PipeAcceptor acceptor =
                BidirectionalPipes.of(host).withLimits(limits).accept(ID, requests::add)) {
            assertThatThrownBy(() -> connect(acceptor)).satisfies(e -> assertCode(ErrorCode.TIMEOUT, e));
            PipeConnectRequest late = requests.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThatThrownBy(() -> late.accept()).satisfies(e -> assertCode(ErrorCode.CLOSED, e));
        }
    }

    @Test
    void connect_acceptorDecidesNothing_failsAfterTheTimeout() throws Exception {
        try (PipeAcceptor acceptor = accept(request -> {})) {
            assertThatThrownBy(() -> BidirectionalPipes.of(guest).connect(acceptor.ticket(), Duration.ofMillis(100)))
                    .satisfies(e -> assertCode(ErrorCode.TIMEOUT, e));
        }
    }

    @Test
    void acceptorCloses_undecidedRequestsAreRefused_openPipesStay_furtherOnesFail() throws Exception {
        BlockingQueue<PipeConnectRequest> requests = new LinkedBlockingQueue<>();
        PipeAcceptor acceptor = accept(requests::add);
        CompletableFuture<BidirectionalPipe> first =
                BidirectionalPipes.of(guest).connectAsync(acceptor.ticket(), SOON);
        BidirectionalPipe far =
                requests.poll(SOON.toSeconds(), TimeUnit.SECONDS).accept();
        BidirectionalPipe near = Eventually.get(first, "the pipe");
        CompletableFuture<BidirectionalPipe> second =
                BidirectionalPipes.of(guest).connectAsync(acceptor.ticket(), SOON);
        Eventually.until(() -> "no request", () -> !requests.isEmpty());
        acceptor.close();
        assertCode(ErrorCode.DISCONNECTED, Eventually.failure(second, "the refusal"));
        assertThatThrownBy(() -> connect(acceptor)).satisfies(e -> assertCode(ErrorCode.NO_SUCH_SERVICE, e));
        near.send(text("still open"));
        assertThat(receive(far)).isEqualTo("still open");
    }

    @Test
    void accept_withACodecThatThisPeerLacks_fails() {
        assertThatThrownBy(() -> BidirectionalPipes.of(host)
                        .withCodecs("morse")
                        .accept(ID, request -> accepted.add(request.accept())))
                .isInstanceOf(InvalidCallException.class)
                .hasMessageContaining("[morse]")
                .satisfies(e -> assertCode(ErrorCode.NO_COMMON_CODEC, e));
        accept().close();
    }

    @Test
    void limitOfOpenPipes_furtherRequestIsBusy_untilOneCloses() throws Exception {
        PipeLimits limits = new PipeLimits(10, 1, 10, 10, SOON);
        try (PipeAcceptor acceptor =
                BidirectionalPipes.of(host).withLimits(limits).accept(ID, request -> accepted.add(request.accept()))) {
            BidirectionalPipe near = connect(acceptor);
            assertThatThrownBy(() -> connect(acceptor)).satisfies(e -> assertCode(ErrorCode.BUSY, e));
            near.close();
            accepted().close();
            try (BidirectionalPipe again = connect(acceptor)) {
                assertThat(again.remotePeer()).isEqualTo(host.id());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void listenerThatThrows_pipeIsReleasedNevertheless(boolean endsInOrder) throws Exception {
        PipeLimits limits = new PipeLimits(10, 1, 10, 10, SOON);
        try (PipeAcceptor acceptor = BidirectionalPipes.of(host)
                .withLimits(limits)
                .accept(ID, request -> accepted.add(request.accept(new FailingListener())))) {
            BidirectionalPipe near = connect(acceptor);
            BidirectionalPipe far = accepted();
            if (endsInOrder) {
                Eventually.get(far.closeOutput(), "the end of one direction");
                Eventually.get(near.closeOutput(), "the end of the other direction");
            } else {
                far.abort();
            }
            awaitClosed(near, far);
            assertThat(host.endpoint().metrics().get(Counter.LISTENER_FAILURES)).isPositive();
            Eventually.until(
                    () -> "the place of the pipe is not free",
                    () -> BidirectionalPipes.of(guest)
                            .connectAsync(acceptor.ticket(), SOON)
                            .handle((pipe, failure) -> pipe != null)
                            .join());
        }
    }

    private static final class FailingListener implements BidirectionalPipeListener {

        @Override
        public void onMessage(ReceivedMessage message) {
            message.release();
        }

        @Override
        public void onEnd() {
            throw new InternalError("on purpose");
        }

        @Override
        public void onFailed(ParleyException reason) {
            throw new InternalError("on purpose");
        }
    }

    @Test
    void limitOfPendingRequests_furtherRequestIsDropped() throws Exception {
        PipeLimits limits = new PipeLimits(10, 10, 10, 1, SOON);
        BlockingQueue<PipeConnectRequest> requests = new LinkedBlockingQueue<>();
        try (PipeAcceptor acceptor =
                BidirectionalPipes.of(host).withLimits(limits).accept(ID, requests::add)) {
            CompletableFuture<BidirectionalPipe> first =
                    BidirectionalPipes.of(guest).connectAsync(acceptor.ticket(), SOON);
            Eventually.until(() -> "no request", () -> !requests.isEmpty());
            assertThatThrownBy(() -> BidirectionalPipes.of(guest).connect(acceptor.ticket(), Duration.ofMillis(300)))
                    .satisfies(e -> assertCode(ErrorCode.TIMEOUT, e));
            assertThat(requests).hasSize(1);
            requests.remove().accept();
            Eventually.get(first, "the first pipe");
            assertThat(BidirectionalPipes.of(guest).connectAsync(acceptor.ticket(), SOON))
                    .isNotNull();
            Eventually.until(() -> "the place of a decided request is not free", () -> !requests.isEmpty());
        }
    }

    @Test
    void otherPeer_cannotSendIntoAnEnd_norTheSamePeerTwice() throws Exception {
        Peer stranger = start("stranger");
        try (PipeAcceptor acceptor = accept()) {
            BidirectionalPipe near = connect(acceptor);
            MessengerBidirectionalPipe far = (MessengerBidirectionalPipe) accepted();
            near.send(text("1"), SOON);
            stranger.endpoint().addPeerAddress(host.address());
            for (Peer peer : List.of(stranger, guest)) {
                Messenger messenger = peer.endpoint().messenger(host.id(), PipeProtocol.endService(far.end()));
                assertCode(
                        ErrorCode.NO_SUCH_SERVICE,
                        Eventually.failure(messenger.send(text("intruder")), "the refusal of a stranger"));
            }
            near.send(text("2"));
            assertThat(receive(far)).isEqualTo("1");
            assertThat(receive(far)).isEqualTo("2");
        }
    }

    @Test
    void otherPeer_comesBeforeTheRemotePeer_isRefused() {
        Peer stranger = start("stranger");
        MessengerBidirectionalPipe end =
                new MessengerBidirectionalPipe(host.netGroup(), guest.id(), PipeOptions.DEFAULTS, null, null);
        for (Peer peer : List.of(stranger, guest)) {
            peer.endpoint().addPeerAddress(host.address());
            Messenger messenger = peer.endpoint().messenger(host.id(), PipeProtocol.endService(end.end()));
            CompletableFuture<Void> sent = messenger.send(text("1"));
            if (peer == guest) {
                Eventually.get(sent, "the message of the remote peer");
            } else {
                assertCode(ErrorCode.NO_SUCH_SERVICE, Eventually.failure(sent, "the refusal of a stranger"));
            }
        }
        end.abort();
    }

    @Test
    void invalidRequests_areIgnored() throws Exception {
        try (PipeAcceptor acceptor = accept();
                OutputPipe out = Pipes.of(guest).connect(acceptor.ticket(), SOON)) {
            out.send(Message.EMPTY, SOON);
            out.send(PipeProtocol.opening(PipeProtocol.CONNECT, "nonsense", Message.EMPTY), SOON);
            out.send(
                    PipeProtocol.opening(
                            PipeProtocol.CONNECT,
                            "0123456789abcdef0123456789abcdef",
                            Message.of("large", new byte[PipeProtocol.MAX_HELLO_BYTES + 1000])),
                    SOON);
            out.send(
                    PipeProtocol.opening(
                            PipeProtocol.CONNECT,
                            "0123456789abcdef0123456789abcdef",
                            PipeProtocolTest.signed("n".repeat(4000), "a/b")),
                    SOON);
            connect(acceptor);
            accepted();
            assertThat(accepted).isEmpty();
        }
    }

    @Test
    void withHello_tooLargeOrReserved_isRejected() {
        BidirectionalPipes pipes = BidirectionalPipes.of(guest);
        assertThatThrownBy(() -> pipes.withHello(Message.of("a", new byte[PipeProtocol.MAX_HELLO_BYTES + 1])))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> pipes.withHello(PipeProtocol.ending(null)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void otherPeerCloses_bothDirectionsFail(boolean guestCloses) throws Exception {
        PipeAcceptor acceptor = accept();
        BidirectionalPipe near = connect(acceptor);
        BidirectionalPipe far = accepted();
        BidirectionalPipe left = guestCloses ? far : near;
        (guestCloses ? near : far).send(text("last"), SOON);
        (guestCloses ? guest : host).close();
        assertThat(receive(left)).isEqualTo("last");
        assertReceiveFails(left, ErrorCode.DISCONNECTED);
        assertSendFails(left, ErrorCode.DISCONNECTED);
        awaitClosed(near, far);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void otherPeerIsUnreachable_bothDirectionsFail_nothingHangs(boolean idle) throws Exception {
        Peer one = startImpatient("host-2", Duration.ofMillis(500));
        Peer other = startImpatient("guest-2", Duration.ofMillis(500));
        PipeAcceptor acceptor = BidirectionalPipes.of(one).accept(ID, request -> accepted.add(request.accept()));
        BidirectionalPipe near = BidirectionalPipes.of(other).connect(acceptor.ticket(), SOON);
        BidirectionalPipe far = accepted();
        CompletableFuture<Optional<Message>> nearWaits = near.receiveAsync();
        CompletableFuture<Optional<Message>> farWaits = far.receiveAsync();
        network.isolate(other.id());
        if (!idle) {
            near.send(text("lost"));
            far.send(text("lost"));
        }
        assertCode(ErrorCode.DISCONNECTED, Eventually.failure(nearWaits, "the loss at the connecting end"));
        assertCode(ErrorCode.DISCONNECTED, Eventually.failure(farWaits, "the loss at the accepting end"));
        assertSendFails(near, ErrorCode.DISCONNECTED);
        assertSendFails(far, ErrorCode.DISCONNECTED);
        awaitClosed(near, far);
    }

    @Test
    void connectionBreaks_bothEndsContinue() throws Exception {
        Peer one = startImpatient("host-2", SOON);
        Peer other = startImpatient("guest-2", SOON);
        PipeAcceptor acceptor = BidirectionalPipes.of(one).accept(ID, request -> accepted.add(request.accept()));
        BidirectionalPipe near = BidirectionalPipes.of(other).connect(acceptor.ticket(), SOON);
        BidirectionalPipe far = accepted();
        for (int round = 0; round < 2; round++) {
            network.isolate(other.id());
            near.send(text("there " + round));
            far.send(text("back " + round));
            Eventually.until(
                    () -> "the connection is not lost",
                    () -> one.endpoint().connectedPeers().isEmpty()
                            && other.endpoint().connectedPeers().isEmpty());
            network.restore(other.id());
            assertThat(receive(far)).isEqualTo("there " + round);
            assertThat(receive(near)).isEqualTo("back " + round);
        }
        near.close();
        assertThat(far.receive(SOON)).isEmpty();
    }

    @Test
    void receiver_doesNotRead_senderStops() throws Exception {
        PipeAcceptor acceptor = accept();
        BidirectionalPipe near = connect(acceptor);
        BidirectionalPipe far = accepted();
        Message large = Message.of("data", new byte[512 * 1024]);
        int sent = 0;
        while (near.isWritable()) {
            near.send(large);
            sent++;
            assertThat(sent).as("messages that the sender has accepted").isLessThan(100);
        }
        CompletableFuture<Void> writable = near.whenWritable();
        for (int i = 0; i < sent; i++) {
            assertThat(far.receive(SOON)).contains(large);
        }
        Eventually.get(writable, "room in the queue");
    }

    @Test
    void receive_timeout_isNoEndOfTheStream() throws Exception {
        PipeAcceptor acceptor = accept();
        BidirectionalPipe near = connect(acceptor);
        assertThatThrownBy(() -> near.receive(Duration.ZERO)).satisfies(e -> assertCode(ErrorCode.TIMEOUT, e));
        near.close();
        assertReceiveFails(near, ErrorCode.CLOSED);
    }
}
