package io.parley.sockets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.pipes.BidirectionalPipe;
import io.parley.pipes.BidirectionalPipeListener;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.PipeAcceptor;
import io.parley.pipes.PipeConnectRequest;
import io.parley.pipes.Pipes;
import io.parley.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The bounds of sockets, and what unknown peers send to their pipes. */
class SocketGuardsTest {

    private static final Duration SOON = SocketPeers.SOON;

    private final SocketPeers peers = SocketPeers.inMemory();

    @AfterEach
    void close() {
        peers.close();
    }

    private PeerSocket connect() throws Exception {
        return peers.ofBob().connect(peers.alice.id(), "desk", SOON);
    }

    /** Returns how a connect ends that is refused until its timeout. It is repeated if the timeout came before the first response. */
    private Throwable refusal() {
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        Eventually.until(() -> "not refused: " + refusal.get(), () -> {
            refusal.set(catchThrowable(() -> peers.ofBob().connect(peers.alice.id(), "desk", Duration.ofMillis(300))));
            return !(refusal.get() instanceof SocketTimeoutException);
        });
        return refusal.get();
    }

    private PeerServerSocket listen(SocketLimits.Builder limits) throws Exception {
        return peers.ofAlice().withLimits(limits.build()).listen("desk");
    }

    private static SocketLimits.Builder limits() {
        return SocketLimits.DEFAULTS.toBuilder();
    }

    @Test
    void fullBacklog_refusesConnects_untilAnAccept() throws Exception {
        try (PeerServerSocket server = listen(limits().backlog(2));
                PeerSocket first = connect();
                PeerSocket second = connect()) {
            assertThat(refusal())
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("backlog")
                    .hasMessageContaining("desk")
                    .hasMessageContaining("2");
            try (PeerSocket accepted = server.accept();
                    PeerSocket third = connect()) {
                assertThat(accepted.remotePeer()).isEqualTo(peers.bob.id());
                assertThat(List.of(first, second, third)).allMatch(PeerSocket::isConnected);
            }
        }
    }

    @Test
    void connectionsOfTheBacklog_thatAreReset_giveTheirPlaceBack() throws Exception {
        // The reset may come before the channel of the connecting peer is open.
        try (PeerServerSocket server = listen(limits().backlog(1).acceptTimeout(Duration.ofHours(1)))) {
            for (int i = 0; i < 20; i++) {
                PeerSocket next = peers.ofBob().connect(peers.alice.id(), "desk", SOON);
                next.setSoLinger(true, 0);
                next.close();
            }
            assertThat(server.isClosed()).isFalse();
        }
    }

    @Test
    void connectionOfTheBacklog_expires() throws Exception {
        try (PeerServerSocket server = listen(limits().backlog(1).acceptTimeout(Duration.ofMillis(300)));
                PeerSocket first = connect()) {
            assertThatThrownBy(() -> first.getInputStream().read())
                    .isInstanceOf(SocketException.class)
                    .hasMessageStartingWith("Connection reset");
            // Repeated, because the second one expires too if this thread pauses before it accepts.
            server.setSoTimeout(1000);
            Eventually.until(() -> "no connection is accepted in time", () -> {
                try (PeerSocket second = connect();
                        PeerSocket accepted = server.accept()) {
                    accepted.getOutputStream().write(2);
                    assertThat(second.getInputStream().read()).isEqualTo(2);
                    return true;
                } catch (SocketTimeoutException e) {
                    return false;
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
        }
    }

    @Test
    void limitOfSockets_ofTheAcceptor_refuses() throws Exception {
        try (PeerServerSocket server = listen(limits().maxSockets(2));
                PeerSocket first = connect();
                PeerSocket second = connect()) {
            assertThat(refusal())
                    .isInstanceOf(ConnectException.class)
                    .hasMessageStartingWith("Connection refused")
                    .hasMessageContaining("2");
            server.accept().close();
            first.close();
            Eventually.until(() -> "a socket after one was closed", () -> {
                try (PeerSocket next = connect()) {
                    return true;
                } catch (Exception e) {
                    return false;
                }
            });
            assertThat(second.isConnected()).isTrue();
        }
    }

    /** Connects bob to services of alice until each refuses. */
    private List<BidirectionalPipe> connectAll(String... services) throws Exception {
        peers.bob.endpoint().addPeerAddress(peers.alice.address());
        List<BidirectionalPipe> open = new ArrayList<>();
        for (String service : services) {
            assertThatThrownBy(() -> {
                        while (open.size() <= 100) {
                            open.add(Pipes.of(peers.bob)
                                    .bidirectional()
                                    .withHello(StreamFormat.HELLO)
                                    .connect(peers.alice.id(), peers.ofBob().pipeId(service), SOON));
                        }
                    })
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
        }
        return open;
    }

    @Test
    void hostThatOpensAsManySocketsAsItCan_leavesSomeToOthers_andToOwnConnects() throws Exception {
        PeerSockets alice = peers.ofAlice()
                .withLimits(limits().maxSockets(10)
                        .acceptTimeout(Duration.ofHours(1))
                        .build());
        try (PeerServerSocket server = alice.listen("desk");
                PeerServerSocket counter = peers.ofBob().listen("counter")) {
            List<BidirectionalPipe> greedy = connectAll("desk");
            assertThat(greedy).as("four fifths of three quarters").hasSize(7);
            try (PeerSocket other = PeerSockets.of(peers.startAnother()).connect(peers.alice.id(), "desk", SOON);
                    PeerSocket own = alice.connect(peers.bob.id(), "counter", SOON);
                    PeerSocket second = alice.connect(peers.bob.id(), "counter", SOON)) {
                assertThat(List.of(other, own, second)).allMatch(PeerSocket::isConnected);
            }
            assertThat(List.of(server, counter)).noneMatch(PeerServerSocket::isClosed);
            greedy.forEach(BidirectionalPipe::abort);
        }
    }

    /** Each server socket has shares of its hosts, and all have the sockets of the group together. */
    @Test
    void hostThatOpensSocketsOfAllServices_leavesSomeToOwnConnects() throws Exception {
        PeerSockets alice = peers.ofAlice()
                .withLimits(limits().maxSockets(8)
                        .acceptTimeout(Duration.ofHours(1))
                        .build());
        try (PeerServerSocket desk = alice.listen("desk");
                PeerServerSocket office = alice.listen("office");
                PeerServerSocket counter = peers.ofBob().listen("counter")) {
            List<BidirectionalPipe> greedy = connectAll("desk", "office");
            assertThat(greedy).as("three quarters").hasSize(6);
            try (PeerSocket own = alice.connect(peers.bob.id(), "counter", SOON)) {
                assertThat(own.isConnected()).isTrue();
            }
            assertThat(List.of(desk, office, counter)).noneMatch(PeerServerSocket::isClosed);
            greedy.forEach(BidirectionalPipe::abort);
        }
    }

    @Test
    void limitOfSockets_ofOneRemotePeer_refuses() throws Exception {
        try (PeerServerSocket server = listen(limits().maxSocketsPerPeer(1));
                PeerSocket first = connect()) {
            assertThat(refusal()).isInstanceOf(ConnectException.class);
            assertThat(first.isConnected()).isTrue();
            assertThat(server.isClosed()).isFalse();
        }
    }

    @Test
    void limitOfSockets_ofTheConnectingPeer_fails() throws Exception {
        PeerSockets bob = peers.ofBob().withLimits(limits().maxSockets(1).build());
        try (PeerServerSocket server = listen(limits())) {
            PeerSocket first = bob.connect(peers.alice.id(), "desk", SOON);
            assertThatThrownBy(() -> bob.connect(peers.alice.id(), "desk", SOON))
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("Too many open sockets: 1");
            first.close();
            server.accept().close();
            Eventually.until(
                    () -> "the end of the first socket", () -> bob.registry().openSockets() == 0);
            bob.connect(peers.alice.id(), "desk", SOON).close();
        }
    }

    @Test
    void closedSocket_whoseBytesAreNotTaken_isReset() throws Exception {
        PeerSockets bob = peers.ofBob()
                .withLimits(limits().closeTimeout(Duration.ofMillis(300)).build());
        try (PeerServerSocket server = listen(limits().bufferBytes(8 * 1024))) {
            PeerSocket socket = bob.connect(peers.alice.id(), "desk", SOON);
            try (PeerSocket accepted = server.accept()) {
                socket.getOutputStream().write(new byte[512 * 1024]); // more than the window, less than the queue
                socket.close();
                Eventually.until(
                        () -> "the end of the closed socket",
                        () -> bob.registry().openSockets() == 0);
                assertThatThrownBy(() -> accepted.getInputStream().readAllBytes())
                        .isInstanceOf(SocketException.class)
                        .hasMessageStartingWith("Connection reset");
            }
        }
    }

    @Test
    void failedConnects_leaveNoSocketBehind() throws Exception {
        PeerSockets bob = peers.ofBob();
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        }
        assertThat(bob.registry().openSockets()).isZero();
    }

    static List<Message> foreignMessages() {
        List<Message> messages = new ArrayList<>();
        messages.add(Message.EMPTY);
        messages.add(Message.of("text", "hello"));
        messages.add(Message.of(MessageElement.of("s", new byte[0])));
        messages.add(Message.of(MessageElement.of("s", new byte[1]), MessageElement.of("s", new byte[1])));
        messages.add(Message.of(MessageElement.of("s", new byte[1]).withNamespace("other")));
        messages.add(Message.of(MessageElement.of("s", new byte[StreamFormat.MAX_RECEIVED_BYTES + 1])));
        return messages;
    }

    /** A peer that speaks the pipe and not the stream. */
    @ParameterizedTest
    @MethodSource("foreignMessages")
    void foreignMessage_inAStream_endsThatStreamOnly(Message message) throws Exception {
        try (PeerServerSocket server = listen(limits());
                PeerSocket good = connect();
                PeerSocket goodAccepted = server.accept()) {
            BidirectionalPipe stranger = Pipes.of(peers.bob)
                    .bidirectional()
                    .withHello(StreamFormat.HELLO)
                    .connect(peers.alice.id(), peers.ofBob().pipeId("desk"), SOON);
            try (PeerSocket accepted = server.accept()) {
                stranger.send(message);
                assertThatThrownBy(() -> accepted.getInputStream().read())
                        .isInstanceOf(SocketException.class)
                        .hasMessageContaining("not of a stream")
                        .hasMessageContaining(peers.bob.id().shortText());
            } finally {
                stranger.abort();
            }
            good.getOutputStream().write(4);
            assertThat(goodAccepted.getInputStream().read()).isEqualTo(4);
        }
    }

    /** A small last message would take as long as a large one. */
    @ParameterizedTest
    @CsvSource({"81920, 1", "81921, 2", "131075, 2", "262147, 4"})
    void write_isSentInMessagesOfEqualSize(int bytes, int messages) throws Exception {
        peers.bob.endpoint().addPeerAddress(peers.alice.address());
        try (PeerServerSocket server = listen(limits());
                BidirectionalPipe reader = Pipes.of(peers.bob)
                        .bidirectional()
                        .withHello(StreamFormat.HELLO)
                        .connect(peers.alice.id(), peers.ofBob().pipeId("desk"), SOON);
                PeerSocket writer = server.accept()) {
            writer.getOutputStream().write(new byte[bytes]);
            long left = bytes;
            for (int i = 0; i < messages; i++) {
                long size = reader.receive(SOON).orElseThrow().elements().get(0).size();
                assertThat(size).isBetween((long) bytes / messages, (long) bytes / messages + 1);
                left -= size;
            }
            assertThat(left).isZero();
        }
    }

    /** Both peers write, and only one of them has the limit. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void write_beyondTheMessageLimitOfOnePeer_isSentInSmallerMessages(boolean isLimitOfAcceptor) throws Exception {
        MessageLimits small =
                MessageLimits.DEFAULTS.toBuilder().maxMessageBytes(64_000).build();
        MessageLimits usual = MessageLimits.DEFAULTS;
        byte[] content = new byte[200_000];
        new Random(5).nextBytes(content);
        try (SocketPeers limited =
                        isLimitOfAcceptor ? SocketPeers.inMemory(small, usual) : SocketPeers.inMemory(usual, small);
                PeerServerSocket server = limited.ofAlice().listen("desk");
                PeerSocket client = limited.ofBob().connect(limited.alice.id(), "desk", SOON);
                PeerSocket accepted = server.accept()) {
            for (List<PeerSocket> way : List.of(List.of(client, accepted), List.of(accepted, client))) {
                CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> writeAndEnd(way.get(0), content));
                assertThat(way.get(1).getInputStream().readAllBytes()).isEqualTo(content);
                writing.get(SOON.toSeconds(), TimeUnit.SECONDS);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1000, 1000", "0, 32", "99999999, 81920", "100000000, 81920", "-1, 81920", "many, 81920"})
    void maximumInTheHelloOfARemotePeer_isBounded(String stated, int used) {
        Message hello = Message.of(MessageElement.ofText("MaxBytes", stated).withNamespace("parley.socket"));
        assertThat(StreamFormat.maxSentBytes(MessageLimits.DEFAULTS, hello)).isEqualTo(used);
    }

    /** Elements of the format are UTF-8, whatever charset their type names. */
    private static Message helloInAnUnknownCharset() {
        return Message.of(Stream.of(MessageElement.ofText("Version", "1"), MessageElement.ofText("MaxBytes", "1000"))
                .map(element -> element.withNamespace("parley.socket").withType("text/plain;charset=none"))
                .toList());
    }

    @Test
    void helloInAnUnknownCharset_isRead_ofBothPeers() throws Exception {
        Message hello = helloInAnUnknownCharset();
        StreamFormat.checkHello(hello);
        assertThat(StreamFormat.maxSentBytes(MessageLimits.DEFAULTS, hello)).isEqualTo(1000);
        List<BidirectionalPipe> accepted = new CopyOnWriteArrayList<>();
        try (PipeAcceptor acceptor = Pipes.of(peers.alice)
                .bidirectional()
                .withHello(hello)
                .accept(peers.ofAlice().pipeId("desk"), request -> accepted.add(request.accept()))) {
            connect().close();
            Eventually.until(() -> "no socket", () -> peers.ofBob().registry().openSockets() == 0);
            assertThat(accepted).hasSize(1);
            assertThat(acceptor.isClosing()).isFalse();
        }
    }

    @Test
    void pipeThatCannotBeUsed_isAborted() throws Exception {
        try (PeerServerSocket server = listen(limits().acceptTimeout(Duration.ofHours(1)))) {
            peers.bob.endpoint().addPeerAddress(peers.alice.address());
            BidirectionalPipe pipe = Pipes.of(peers.bob)
                    .bidirectional()
                    .withHello(StreamFormat.HELLO)
                    .connect(peers.alice.id(), peers.ofBob().pipeId("desk"), SOON);
            BidirectionalPipe unusable = (BidirectionalPipe) Proxy.newProxyInstance(
                    BidirectionalPipe.class.getClassLoader(),
                    new Class<?>[] {BidirectionalPipe.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("hello")) {
                            throw new InternalError("on purpose");
                        }
                        return method.invoke(pipe, arguments);
                    });
            SocketContext context = SocketContext.of(peers.bob.netGroup());
            PeerStream stream = new PeerStream(context.group(), "desk", context.limits());
            assertThatThrownBy(() -> new PeerSocketImpl(context).attach(stream, unusable))
                    .isInstanceOf(InternalError.class);
            Eventually.get(pipe.whenClosed(), "aborted pipe");
            assertThat(server.isClosed()).isFalse();
        }
    }

    private static void writeAndEnd(PeerSocket socket, byte[] content) {
        try {
            socket.getOutputStream().write(content);
            socket.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void pipeWithoutTheVersion_isRefused() throws Exception {
        peers.bob.endpoint().addPeerAddress(peers.alice.address());
        try (PeerServerSocket server = listen(limits())) {
            for (Message hello : List.of(
                    Message.EMPTY,
                    Message.of(MessageElement.ofText("Version", "99").withNamespace("parley.socket")),
                    Message.of(MessageElement.ofText("Version", "1".repeat(100)).withNamespace("parley.socket")))) {
                assertThatThrownBy(() -> Pipes.of(peers.bob)
                                .bidirectional()
                                .withHello(hello)
                                .connect(peers.alice.id(), peers.ofBob().pipeId("desk"), SOON))
                        .hasMessageContaining("version of the socket stream");
            }
            server.setSoTimeout(1);
            assertThatThrownBy(server::accept).isInstanceOf(SocketTimeoutException.class);
            assertThat(peers.ofAlice().registry().openSockets()).isZero();
        }
    }

    @Test
    void messagesToTheAcceptor_areDropped() throws Exception {
        peers.bob.endpoint().addPeerAddress(peers.alice.address());
        try (PeerServerSocket server = listen(limits());
                OutputPipe stranger = Pipes.of(peers.bob)
                        .connect(peers.alice.id(), peers.ofBob().pipeId("desk"), SOON)) {
            for (int i = 0; i < 100; i++) {
                stranger.send(Message.of("text", "what is this?"), SOON);
            }
            try (PeerSocket good = connect();
                    PeerSocket accepted = server.accept()) {
                good.getOutputStream().write(4);
                assertThat(accepted.getInputStream().read()).isEqualTo(4);
            }
        }
    }

    @Test
    void limits_outOfRange_areRefused() {
        assertThatThrownBy(() -> limits().backlog(0).build()).hasMessageContaining("backlog: 0");
        assertThatThrownBy(() -> limits().bufferBytes(1).build()).hasMessageContaining("bufferBytes: 1");
        assertThatThrownBy(() -> limits().maxSockets(0).build()).hasMessageContaining("maxSockets: 0");
        assertThatThrownBy(() -> limits().resumeTimeout(Duration.ZERO).build()).hasMessageContaining("resumeTimeout");
    }

    @Test
    void serviceWithoutAHostName_isRefusedBeforeTheConnect() {
        String longest = ("a".repeat(60) + ".").repeat(3) + "a".repeat(60); // does not fit beside a peer id
        assertThatThrownBy(() -> peers.ofBob().socketFactory().createSocket(longest + ".parley", 1))
                .isInstanceOf(UnknownHostException.class)
                .hasMessageContaining("253");
        PipeAdvertisement hostile = new PipeAdvertisement(
                AdvertisementId.of(peers.ofAlice().pipeId("desk")),
                PipeType.UNICAST,
                "socket:x." + peers.bob.id().text(),
                "");
        assertThatThrownBy(() -> peers.ofBob().connect(hostile, SOON))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("peer id");
        assertThat(peers.ofBob().registry().openSockets()).isZero();
    }

    @Test
    void advertisementOfAnOrdinaryPipe_isRefusedBeforeTheConnect() {
        for (String name : new String[] {"forecast", null}) {
            PipeAdvertisement ordinary = new PipeAdvertisement(
                    AdvertisementId.of(peers.ofAlice().pipeId("desk")), PipeType.UNICAST, name, null);
            assertThatThrownBy(() -> peers.ofBob().connect(ordinary, Duration.ofMillis(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(name == null ? "none" : name)
                    .hasMessageContaining("socket:");
        }
    }

    @Test
    void groupThatCloses_endsAConnect() throws Exception {
        PeerSockets sockets = peers.ofBob();
        PeerSocket socket = sockets.socketFactory().createSocket();
        CompletableFuture<Void> connecting = CompletableFuture.runAsync(() -> {
            try {
                socket.connect(InetSocketAddress.createUnresolved("nobody-has-it.parley", 1), 3_600_000);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        Eventually.until(() -> "no connect", () -> sockets.registry().openSockets() == 1);
        peers.bob.close();
        assertThatThrownBy(() -> connecting.get(SOON.toSeconds(), TimeUnit.SECONDS))
                .hasRootCauseInstanceOf(SocketException.class)
                .rootCause()
                .hasMessageContaining("closed");
    }

    @Test
    void secondConnect_whileTheFirstWaits_failsAtOnce() throws Exception {
        PeerSockets sockets = peers.ofBob();
        PeerSocket socket = sockets.socketFactory().createSocket();
        InetSocketAddress nobody = InetSocketAddress.createUnresolved("nobody-has-it.parley", 1);
        CompletableFuture<Void> connecting = CompletableFuture.runAsync(() -> {
            try {
                socket.connect(nobody, 3_600_000);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        Eventually.until(() -> "no connect", () -> sockets.registry().openSockets() == 1);
        assertThatThrownBy(() -> socket.connect(nobody, 1))
                .isInstanceOf(SocketException.class)
                .hasMessage("Connection in progress");
        socket.close(); // newer JDKs have closed it because of the failure
        assertThatThrownBy(() -> connecting.get(SOON.toSeconds(), TimeUnit.SECONDS))
                .hasRootCauseInstanceOf(SocketException.class)
                .rootCause()
                .hasMessage("Socket closed");
        assertThat(sockets.registry().openSockets()).isZero();
    }

    @Test
    void connectOfAConnectedSocket_failsAndLeavesIt() throws Exception {
        try (PeerServerSocket server = listen(limits())) {
            PeerSocketImpl socket = new PeerSocketImpl(SocketContext.of(peers.bob.netGroup()));
            socket.connect(server.host().toString(), 1);
            PeerStream connected = socket.stream();
            assertThatThrownBy(() -> socket.connect(server.host().toString(), 1))
                    .isInstanceOf(SocketException.class)
                    .hasMessage("Already connected");
            assertThat(socket.stream()).isSameAs(connected);
            socket.close();
        }
    }

    @Test
    void closeAsAConnectBegins_endsIt() throws Exception {
        PeerSocketImpl connecting = new PeerSocketImpl(SocketContext.of(peers.bob.netGroup()));
        PeerSocket socket = new PeerSocket(connecting);
        socket.close();
        // As the JDK's class does when another thread connects: it has found the socket open.
        CompletableFuture<Void> connect = CompletableFuture.runAsync(() -> {
            try {
                connecting.connect(InetSocketAddress.createUnresolved("nobody-has-it.parley", 1), 3_600_000);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertThatThrownBy(() -> connect.get(SOON.toSeconds(), TimeUnit.SECONDS))
                .hasRootCauseInstanceOf(SocketException.class)
                .rootCause()
                .hasMessage("Socket closed");
        assertThat(peers.ofBob().registry().openSockets()).isZero();
    }

    @Test
    void closeAsAConnectSucceeds_leavesNoOpenPipe() throws Exception {
        peers.bob.endpoint().addPeerAddress(peers.alice.address());
        try (PeerServerSocket server = listen(limits());
                BidirectionalPipe pipe = Pipes.of(peers.bob)
                        .bidirectional()
                        .withHello(StreamFormat.HELLO)
                        .connect(peers.alice.id(), peers.ofBob().pipeId("desk"), SOON)) {
            PeerSocketImpl socket = new PeerSocketImpl(SocketContext.of(peers.bob.netGroup()));
            AtomicBoolean closed = new AtomicBoolean();
            boolean isTaken = false;
            try {
                isTaken = socket.awaitPipe(
                        CompletableFuture.completedFuture(pipe),
                        () -> closed.getAndSet(true), // closed after the first look
                        new CompletableFuture<>(),
                        SOON);
            } catch (SocketException e) {
                assertThat(e).hasMessage("Socket closed");
            }
            assertThat(isTaken || pipe.isClosing()).as("taken or aborted").isTrue();
            assertThat(server.isClosed()).isFalse();
        }
    }

    @Test
    void connectionOfTheBacklog_whosePeerIsLost_isAcceptedIfAllItsBytesHaveArrived() throws Exception {
        SocketContext context = SocketContext.of(peers.alice.netGroup());
        AcceptQueue queue = new AcceptQueue(context, "desk", 2);
        PeerStream ended = new PeerStream(context.group(), "desk", context.limits());
        PeerStream lost = new PeerStream(context.group(), "desk", context.limits());
        queue.add(lost);
        queue.add(ended);
        ended.onEnd();
        List.of(lost, ended).forEach(stream -> stream.onFailed(ErrorCode.LOST.exception("the peer is gone")));
        assertThat(queue.accept(SOON)).isSameAs(ended);
        assertThatThrownBy(() -> queue.accept(Duration.ofMillis(1))).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void secondBind_ofOneServerSocket_leavesTheServiceOfTheFirst() throws Exception {
        PeerServerSocketImpl server = new PeerServerSocketImpl(SocketContext.of(peers.alice.netGroup()), null);
        bind(server, "desk");
        // As the JDK's class does when two threads bind: both find the socket unbound.
        assertThatThrownBy(() -> bind(server, "counter"))
                .isInstanceOf(SocketException.class)
                .hasMessage("Already bound");
        server.close();
        listen(limits()).close();
        peers.ofAlice().listen("counter").close();
    }

    @Test
    void bind_thatFails_canBeRepeated() throws Exception {
        try (PeerServerSocket server = listen(limits());
                PeerServerSocket other = peers.ofAlice().serverSocketFactory().createServerSocket()) {
            assertThatThrownBy(() -> other.bind(server.getLocalSocketAddress())).isInstanceOf(BindException.class);
            other.bind(InetSocketAddress.createUnresolved("counter.parley", 1));
            assertThat(other.host().service()).isEqualTo("counter");
        }
    }

    @Test
    void bind_duringAClose_fails() throws Exception {
        PeerServerSocketImpl server = new PeerServerSocketImpl(SocketContext.of(peers.alice.netGroup()), null);
        server.close();
        assertThatThrownBy(() -> bind(server, "desk"))
                .isInstanceOf(SocketException.class)
                .hasMessage("Socket closed");
        listen(limits()).close();
    }

    @Test
    void closeAsABindBegins_endsIt() throws Exception {
        SocketContext context = SocketContext.of(peers.alice.netGroup());
        PeerServerSocketImpl binding = new PeerServerSocketImpl(context, null);
        new PeerServerSocket(context, binding).close();
        // As the JDK's class does when another thread binds: it has found the socket open.
        assertThatThrownBy(() -> bind(binding, "desk"))
                .isInstanceOf(SocketException.class)
                .hasMessage("Socket closed");
        listen(limits()).close();
    }

    private static void bind(PeerServerSocketImpl server, String service) throws IOException {
        server.setService(service);
        server.bind(InetAddress.getLoopbackAddress(), 0);
        server.listen(1);
    }

    @Test
    void requestWhoseAcceptFails_givesItsPlaceBack() {
        AcceptQueue queue = new AcceptQueue(SocketContext.of(peers.alice.netGroup()), "desk", 1);
        List<ParleyException> refusals = new ArrayList<>();
        PipeConnectRequest failing = new PipeConnectRequest() {
            @Override
            public PeerId remotePeer() {
                return peers.bob.id();
            }

            @Override
            public Message hello() {
                return StreamFormat.HELLO;
            }

            @Override
            public BidirectionalPipe accept() {
                throw new InternalError("on purpose");
            }

            @Override
            public BidirectionalPipe accept(BidirectionalPipeListener listener) {
                return accept();
            }

            @Override
            public void refuse(ParleyException reason) {
                refusals.add(reason);
            }
        };
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> queue.onRequest(failing)).hasMessage("on purpose");
        }
        assertThat(refusals).isEmpty();
    }
}
