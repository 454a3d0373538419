package io.parley.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.testkit.transport.TestTransports.Ends;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;
import io.parley.transport.TransportServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The contract of a {@link Transport}. A subclass supplies the provider and an address to listen on. After each test all
 * transports are closed and their threads must end. No connection may have called its listener off the executor, inside
 * another call or after the end.
 */
public abstract class TransportContractTest {

    private static final Identity ALICE = Identity.generate();
    private static final Identity BOB = Identity.generate();
    private static final Identity CAROL = Identity.generate();

    private static final int LARGE_FRAME_BYTES = 64 * 1024;

    /** The bytes that transport and kernel together may hold for a stopped reader. */
    private static final long BOUND_FOR_STOPPED_READER = 48L * 1024 * 1024;

    private TestTransports transports;

    /** Returns the provider of the transports. */
    protected abstract TransportProvider provider();

    /** Returns an address to listen on, such as one with port 0. */
    protected abstract EndpointAddress anyAddress();

    /** Returns the security of the connections. */
    protected TransportSecurity security() {
        return TransportSecurity.TLS;
    }

    /** Returns whether the remote peer can distinguish {@link Connection#abort} from {@link Connection#close}. */
    protected boolean distinguishesAbortFromClose() {
        return true;
    }

    /**
     * Returns whether peers are reached through a relay, at whose address several of them may listen. A dial must expect one of them then,
     * and the relay must have the same security as both.
     */
    protected boolean isRelayed() {
        return false;
    }

    /**
     * Sends what was flushed and shuts down only the output of the connection, below the transport. Called on its executor.
     *
     * @return whether the network of this transport permits it; by default it does not
     */
    protected boolean shutdownOutput(Connection connection) {
        return false;
    }

    @BeforeEach
    void openTransports() {
        transports = new TestTransports(provider(), security());
    }

    @AfterEach
    void closeTransports() {
        transports.close();
    }

    private Ends connect() {
        return transports.connect(transports.open(ALICE), transports.open(BOB), anyAddress());
    }

    // Dialing and listening.

    @Test
    void dial_nobodyListens_failsWithUnreachable() {
        Transport bob = transports.open(BOB);
        TransportServer server = transports.listen(bob, anyAddress(), new ConnectionAcceptor());
        EndpointAddress address = server.address();
        Eventually.get(bob.closeAsync(), "closing the transport");

        assertFailsWith(transports.open(ALICE).dial(address, null), ErrorCode.UNREACHABLE, address.toString());
    }

    @Test
    void dial_listenerClosed_failsWithUnreachable() {
        Transport bob = transports.open(BOB);
        TransportServer server = transports.listen(bob, anyAddress(), new ConnectionAcceptor());
        EndpointAddress address = server.address();
        server.close();

        assertThat(server.isClosing()).isTrue();
        assertThat(server.whenClosed()).as("close() waits").isDone();
        assertFailsWith(transports.open(ALICE).dial(address, null), ErrorCode.UNREACHABLE, address.toString());
        assertThat(transports.listen(bob, address, new ConnectionAcceptor()).address())
                .as("the address is free again")
                .isEqualTo(address);
    }

    @Test
    void dial_afterClose_failsWithClosed() {
        EndpointAddress address = transports
                .listen(transports.open(BOB), anyAddress(), new ConnectionAcceptor())
                .address();
        Transport alice = transports.open(ALICE);
        Eventually.get(alice.closeAsync(), "closing the transport");

        assertFailsWith(alice.dial(address, null), ErrorCode.CLOSED, "");
    }

    @Test
    void dial_whileTheTransportCloses_completesEither() {
        EndpointAddress address = transports
                .listen(transports.open(BOB), anyAddress(), new ConnectionAcceptor())
                .address();
        Transport alice = transports.open(ALICE);
        List<CompletableFuture<Connection>> dials = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            dials.add(alice.dial(address, null));
        }
        Eventually.get(alice.closeAsync(), "closing the transport");

        for (CompletableFuture<Connection> dial : dials) {
            CompletableFuture<Void> gone = dial.handle((connection, failure) ->
                            failure == null ? connection.whenClosed() : CompletableFuture.<Void>completedFuture(null))
                    .thenCompose(ended -> ended);
            Eventually.get(gone, "the end of a dial");
        }
    }

    @Test
    void dial_afterClose_ofTheLastTransport_failsWithClosed() {
        Transport alice = transports.open(ALICE);
        Eventually.get(alice.closeAsync(), "closing the transport");

        assertFailsWith(
                alice.dial(anyAddress().port() < 0 ? anyAddress() : anyAddress().withPort(1), null),
                ErrorCode.CLOSED,
                "");
    }

    @Test
    void listen_afterClose_failsWithClosed() {
        Transport alice = transports.open(ALICE);
        Eventually.get(alice.closeAsync(), "closing the transport");

        assertFailsWith(alice.listen(anyAddress(), new ConnectionAcceptor()), ErrorCode.CLOSED, "");
    }

    @Test
    void listen_addressInUse_failsWithCannotListen() {
        Transport bob = transports.open(BOB);
        EndpointAddress taken =
                transports.listen(bob, anyAddress(), new ConnectionAcceptor()).address();

        assertFailsWith(bob.listen(taken, new ConnectionAcceptor()), ErrorCode.CANNOT_LISTEN, taken.toString());
        assumeThat(isRelayed()).isFalse();
        assertFailsWith(
                transports.open(ALICE).listen(taken, new ConnectionAcceptor()),
                ErrorCode.CANNOT_LISTEN,
                taken.toString());
    }

    @Test
    void dial_cancelled_leavesNothingOpen() {
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        Transport alice = transports.open(ALICE);
        EndpointAddress address =
                transports.listen(transports.open(BOB), anyAddress(), acceptor).address();
        for (int i = 0; i < 10; i++) {
            CompletableFuture<Connection> dial = alice.dial(address, null);
            if (!dial.cancel(true)) {
                dial.join().abort(null); // The dial was faster.
            }
        }

        transports.dial(alice, address, null);
        Eventually.until(
                () -> acceptor.open() + " of " + acceptor.all().size() + " accepted connections are open, not one",
                () -> acceptor.open() == 1);
        assertThat(acceptor.all()).allMatch(listener -> listener.frameCount() == 0);
    }

    @Test
    void connect_bothPeersAuthenticateEachOther() {
        Transport alice = transports.open(ALICE);
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        EndpointAddress address =
                transports.listen(transports.open(BOB), anyAddress(), acceptor).address();

        Connection near = transports.dial(alice, address, BOB.peerId()).connection();
        Connection far = acceptor.next().connection();
        boolean authenticated = security() == TransportSecurity.TLS;
        assertThat(near.authenticatedPeer()).isEqualTo(authenticated ? BOB.peerId() : null);
        assertThat(far.authenticatedPeer()).isEqualTo(authenticated ? ALICE.peerId() : null);
        assertThat(near.isDialer()).isTrue();
        assertThat(far.isDialer()).isFalse();
        assertThat(near.remoteAddress()).isEqualTo(address);
        assertThat(far.remoteAddress().scheme()).isEqualTo(address.scheme());
        assertThat(alice.schemes()).contains(address.scheme());
    }

    @Test
    void dial_anotherPeer_fails_andNoFrameIsDelivered() {
        assumeThat(security()).isEqualTo(TransportSecurity.TLS);
        assumeThat(isRelayed()).isFalse();
        ConnectionAcceptor acceptor = new ConnectionAcceptor(listener -> {
            listener.connection().write(text("too early"), null);
            listener.connection().flush();
        });
        EndpointAddress address =
                transports.listen(transports.open(BOB), anyAddress(), acceptor).address();

        CompletableFuture<Connection> dial = transports.open(ALICE).dial(address, CAROL.peerId());
        ParleyException failure =
                assertFailsWith(dial, ErrorCode.IDENTITY_REFUSED, BOB.peerId().toString());
        assertThat(failure).hasMessageContaining(CAROL.peerId().toString());
        Eventually.until(() -> acceptor.open() + " connections are open", () -> acceptor.open() == 0);
        assertThat(acceptor.all()).allMatch(listener -> listener.frameCount() == 0);
    }

    @ParameterizedTest
    @EnumSource
    void dial_securityDiffers_failsOnBothSides_withAReason(TransportSecurity dialers) {
        assumeThat(isRelayed()).isFalse();
        TransportSecurity acceptors =
                dialers == TransportSecurity.TLS ? TransportSecurity.PLAINTEXT : TransportSecurity.TLS;
        Transport alice = transports.open(new TransportContext(
                ALICE, dialers, TestTransports.PATIENT_LIMITS, new EndpointMetrics(), Scheduler.system()));
        Transport bob = transports.open(new TransportContext(
                BOB, acceptors, TestTransports.PATIENT_LIMITS, new EndpointMetrics(), Scheduler.system()));
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        EndpointAddress address = transports.listen(bob, anyAddress(), acceptor).address();

        // Without TLS a dial succeeds at once; the first frame then reaches the TLS handler of the acceptor.
        Throwable near = Eventually.failure(
                alice.dial(address, null).thenCompose(connection -> {
                    RecordingListener listener = transports.listener(connection).start();
                    connection.executor().execute(() -> {
                        connection.write(text("hello"), null);
                        connection.flush();
                    });
                    return listener.closed().thenApply(cause -> fail(cause));
                }),
                "sending to a peer with " + acceptors);
        assertThat(near.getMessage()).containsIgnoringCase(dialers == TransportSecurity.TLS ? "plaintext" : "TLS");

        long failed = transports.context(bob).metrics().get(EndpointMetrics.Counter.HANDSHAKES_FAILED);
        assertThat(acceptor.all()).allMatch(listener -> listener.frameCount() == 0);
        if (acceptor.all().isEmpty()) {
            Eventually.until(
                    () -> "the acceptor has not counted the failed handshake",
                    () -> transports.context(bob).metrics().get(EndpointMetrics.Counter.HANDSHAKES_FAILED) == 1);
        } else {
            assertThat(failed).isZero(); // The endpoint counts the failures of connections that it has accepted.
            assertThat(Eventually.get(acceptor.next().closed(), "the end at the acceptor"))
                    .get()
                    .asString()
                    .contains("TLS");
        }
    }

    private static Connection fail(Optional<Throwable> cause) {
        throw ErrorCode.CLOSED.exception("closed: " + cause, cause.orElse(null));
    }

    @Test
    void dial_manyAtATime_allSucceed() {
        ConnectionAcceptor acceptor = new ConnectionAcceptor(listener -> listener.onFrame(frame -> {
            listener.connection().write(frame.retainedDuplicate(), null);
            listener.connection().flush();
        }));
        Transport alice = transports.open(ALICE);
        EndpointAddress address =
                transports.listen(transports.open(BOB), anyAddress(), acceptor).address();
        List<RecordingListener> dialed = new CopyOnWriteArrayList<>();
        List<CompletableFuture<Void>> dials = new ArrayList<>();
        int count = 50;
        for (int i = 0; i < count; i++) {
            ByteBuf frame = text("number " + i);
            dials.add(alice.dial(address, BOB.peerId()).thenAccept(connection -> {
                dialed.add(transports.listener(connection).start());
                connection
                        .executor()
                        .execute(
                                () -> { // this may be the thread of the test, after a fast dial
                                    connection.write(frame, null);
                                    connection.flush();
                                });
            }));
        }
        dials.forEach(dial -> Eventually.get(dial, "one of many dials"));
        Eventually.until(
                () -> "not every connection has echoed its frame",
                () -> dialed.size() == count && dialed.stream().allMatch(listener -> listener.frameCount() == 1));
        assertThat(dialed.stream().map(listener -> new String(listener.frames().get(0), StandardCharsets.UTF_8)))
                .doesNotHaveDuplicates();
        assertThat(acceptor.open()).isEqualTo(count);
    }

    @Test
    void onAccept_throws_closesThatConnectionAlone() {
        AtomicBoolean first = new AtomicBoolean(true);
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        Transport alice = transports.open(ALICE);
        TransportServer server = Eventually.get(
                transports.open(BOB).listen(anyAddress(), connection -> {
                    if (first.getAndSet(false)) {
                        throw new IllegalStateException("thrown on purpose");
                    }
                    acceptor.accept(connection);
                }),
                "listening");

        RecordingListener failing = transports.dial(alice, server.address(), null);
        Eventually.get(failing.closed(), "the end of the connection whose acceptor threw");
        RecordingListener next = transports.dial(alice, server.address(), null);
        send(next, text("payload"));
        awaitFrames(acceptor.next(), 1);
    }

    @Test
    void serverClose_leavesAcceptedConnectionsOpen() {
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        TransportServer server = transports.listen(transports.open(BOB), anyAddress(), acceptor);
        RecordingListener dialer = transports.dial(transports.open(ALICE), server.address(), null);
        RecordingListener accepted = acceptor.next();
        Eventually.get(server.closeAsync(), "closing the server");

        send(dialer, text("payload"));
        awaitFrames(accepted, 1);
    }

    // Frames.

    @Test
    void frames_upToTheHandshakeLimit_arriveWhole() {
        Ends ends = connect();
        int[] sizes = {0, 1, 2, 1000, Connection.MAX_HANDSHAKE_FRAME_BYTES, 0, 3};
        for (int size : sizes) {
            send(ends.dialer(), pattern(size, size));
        }
        awaitFrames(ends.acceptor(), sizes.length);
        for (int i = 0; i < sizes.length; i++) {
            assertThat(ends.acceptor().frames().get(i)).isEqualTo(patternBytes(sizes[i], sizes[i]));
        }
    }

    @Test
    void frames_shortBeforeLong_arriveWhole() {
        Ends ends = connect();
        int[] shortSizes = {0, 1, 2, 20, Connection.HEADROOM - 8, Connection.HEADROOM, Connection.HEADROOM + 1};
        int[] longSizes = {0, 1, 1000, 5000, Connection.MAX_HANDSHAKE_FRAME_BYTES};
        List<byte[]> expected = new ArrayList<>();
        for (int first : shortSizes) {
            for (int second : longSizes) {
                send(ends.dialer(), pattern(first, first), pattern(second, second), pattern(first, second));
                expected.addAll(
                        List.of(patternBytes(first, first), patternBytes(second, second), patternBytes(first, second)));
            }
        }
        awaitFrames(ends.acceptor(), expected.size());
        for (int i = 0; i < expected.size(); i++) {
            assertThat(ends.acceptor().frames().get(i)).isEqualTo(expected.get(i));
        }
    }

    @Test
    void tryAppend_keepsTheOrder_andAFrameThatIsDeclinedOrFails_leavesNoTrace() {
        Ends ends = connect();
        Connection dialer = ends.dialer().connection();
        int count = 300;
        Eventually.run(dialer.executor(), () -> {
            for (int i = 0; i < count; i++) {
                byte[] content = patternBytes(i * 10, i);
                if (!dialer.tryAppend((out, maxBytes) -> {
                    out.writeBytes(content, 0, Math.min(content.length, maxBytes));
                    return content.length <= maxBytes;
                })) {
                    dialer.write(withHeadroom(content.length).writeBytes(content), null);
                }
                try {
                    dialer.tryAppend((out, maxBytes) -> {
                        out.writeInt(-1);
                        throw new IllegalStateException("the source failed");
                    });
                } catch (IllegalStateException e) {
                    assertThat(e).hasMessage("the source failed");
                }
            }
            dialer.flush();
        });
        awaitFrames(ends.acceptor(), count);
        for (int i = 0; i < count; i++) {
            assertThat(ends.acceptor().frames().get(i)).isEqualTo(patternBytes(i * 10, i));
        }
    }

    @Test
    void readComplete_followsTheFramesOfEachRead_andWhatItWritesIsSent() {
        Ends ends = connect();
        Connection acceptor = ends.acceptor().connection();
        int count = 1000;
        ends.acceptor().onReadComplete(() -> {
            acceptor.write(withHeadroom(Integer.BYTES).writeInt(ends.acceptor().frameCount()), null);
            acceptor.flush();
        });
        CompletableFuture<Void> confirmed = new CompletableFuture<>();
        ends.dialer().onFrame(frame -> {
            if (frame.readInt() == count) {
                confirmed.complete(null);
            }
        });
        PacedSender sender =
                new PacedSender(ends.dialer().connection(), count, number -> text(Integer.toString(number)));
        ends.dialer().onWritable(sender::resume);
        sender.start();
        Eventually.get(confirmed, "the response after the last read");
    }

    @Test
    void frame_aboveTheHandshakeLimit_closesTheConnection() {
        assertLimit(connect(), Connection.MAX_HANDSHAKE_FRAME_BYTES);
    }

    @Test
    void frame_aboveTheLimitAfterTheHandshake_closesTheConnection() {
        Ends ends = connect().completeHandshake(LARGE_FRAME_BYTES);
        send(ends.dialer(), pattern(LARGE_FRAME_BYTES, 1));
        awaitFrames(ends.acceptor(), 1);
        assertThat(ends.acceptor().frames().get(0)).isEqualTo(patternBytes(LARGE_FRAME_BYTES, 1));
        assertLimit(ends, LARGE_FRAME_BYTES);
    }

    private static void assertLimit(Ends ends, int limit) {
        int before = ends.acceptor().frameCount();
        send(ends.dialer(), pattern(limit + 1, 7));
        assertThat(Eventually.get(ends.acceptor().closed(), "the end after a frame above the limit"))
                .get()
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                .asString()
                .contains(Integer.toString(limit + 1));
        assertThat(ends.acceptor().frameCount()).isEqualTo(before);
        Eventually.get(ends.dialer().closed(), "the end at the sender");
    }

    @Test
    void frames_manySmall_keepTheirOrder() {
        Ends ends = connect();
        int count = 20_000;
        AtomicInteger next = new AtomicInteger();
        ends.acceptor().onFrame(frame -> {
            if (frame.readInt() != next.getAndIncrement()) {
                ends.acceptor().fault("frame " + next + " out of order");
            }
        });
        PacedSender sender = new PacedSender(
                ends.dialer().connection(),
                count,
                number -> withHeadroom(Integer.BYTES).writeInt(number));
        ends.dialer().onWritable(sender::resume);
        sender.start();
        awaitFrames(ends.acceptor(), count);
        Eventually.get(sender.done(), "the confirmation of all frames");
    }

    @Test
    void frames_ofEveryShape_arriveWhole_andAreReleased() {
        Ends ends = connect();
        Map<String, ByteBuf> shapes = shapes();
        List<ByteBuf> sent = new ArrayList<>(shapes.values());
        CountDownLatch confirmed = new CountDownLatch(shapes.size());
        Eventually.run(ends.dialer().connection().executor(), () -> {
            for (ByteBuf frame : sent) {
                ends.dialer().connection().write(frame, failure -> confirmed.countDown());
            }
            ends.dialer().connection().flush();
        });
        awaitFrames(ends.acceptor(), shapes.size());
        int i = 0;
        for (String shape : shapes.keySet()) {
            assertThat(ends.acceptor().frames().get(i++)).as(shape).isEqualTo(patternBytes(100, 5));
        }
        Eventually.until(
                () -> "frames are not released: " + sent, () -> sent.stream().allMatch(frame -> frame.refCnt() == 0));
        Eventually.until(() -> "frames are not confirmed", () -> confirmed.getCount() == 0);
    }

    private static Map<String, ByteBuf> shapes() {
        byte[] content = patternBytes(100, 5);
        ByteBufAllocator allocator = ByteBufAllocator.DEFAULT;
        Map<String, ByteBuf> shapes = new LinkedHashMap<>();
        shapes.put("direct", allocator.directBuffer().writeBytes(content));
        shapes.put("heap", allocator.heapBuffer().writeBytes(content));
        shapes.put("unpooled", Unpooled.buffer().writeBytes(content));
        shapes.put("with headroom", withHeadroom(100).writeBytes(content));
        shapes.put(
                "with headroom, heap", allocator.heapBuffer().setIndex(20, 20).writeBytes(content));
        shapes.put(
                "with little headroom", allocator.directBuffer().setIndex(3, 3).writeBytes(content));
        shapes.put("wrapped", Unpooled.wrappedBuffer(content));
        shapes.put("read-only", Unpooled.wrappedBuffer(content).asReadOnly());
        shapes.put(
                "read-only, with headroom",
                Unpooled.buffer().setIndex(20, 20).writeBytes(content).asReadOnly());
        ByteBuf whole =
                allocator.directBuffer().writeZero(30).writeBytes(content).writeZero(30);
        shapes.put("slice", whole.retainedSlice(30, 100));
        whole.skipBytes(30);
        shapes.put("read slice", whole.readRetainedSlice(100));
        whole.release();
        shapes.put("composite of one", composite(content, 100));
        shapes.put("composite of four", composite(content, 25));
        shapes.put(
                "composite of one read-only",
                composite(Unpooled.buffer().writeZero(20).writeBytes(content).asReadOnly())
                        .skipBytes(20));
        shapes.put(
                "composite, with headroom",
                composite(
                                Unpooled.buffer().writeZero(20).writeBytes(content, 0, 50),
                                Unpooled.wrappedBuffer(content, 50, 50))
                        .skipBytes(20));
        return shapes;
    }

    private static ByteBuf composite(byte[] content, int partBytes) {
        List<ByteBuf> parts = new ArrayList<>();
        for (int at = 0; at < content.length; at += partBytes) {
            parts.add(ByteBufAllocator.DEFAULT.buffer().writeBytes(content, at, partBytes));
        }
        return composite(parts.toArray(new ByteBuf[0]));
    }

    private static ByteBuf composite(ByteBuf... parts) {
        CompositeByteBuf composite = ByteBufAllocator.DEFAULT.compositeBuffer(16);
        for (ByteBuf part : parts) {
            composite.addComponent(true, part);
        }
        return composite;
    }

    @Test
    void frame_retainedByTheListener_keepsItsContent() {
        Ends ends = connect();
        List<ByteBuf> retained = new CopyOnWriteArrayList<>();
        ends.acceptor().onFrame(frame -> retained.add(frame.retain()));
        int count = 200;
        PacedSender sender = new PacedSender(ends.dialer().connection(), count, number -> pattern(2000, number));
        ends.dialer().onWritable(sender::resume);
        sender.start();
        Eventually.get(sender.done(), "the confirmation of all frames");
        Eventually.until(() -> retained.size() + " frames were received", () -> retained.size() == count);
        for (int i = 0; i < count; i++) {
            byte[] content = new byte[2000];
            retained.get(i).readBytes(content);
            assertThat(content).isEqualTo(patternBytes(2000, i));
        }
        retained.forEach(ByteBuf::release);
    }

    @Test
    void transfer_bothWaysAtATime_losesNothing() {
        Ends ends = connect().completeHandshake(LARGE_FRAME_BYTES);
        int count = 512;
        List<PacedSender> senders = new ArrayList<>();
        for (RecordingListener end : List.of(ends.dialer(), ends.acceptor())) {
            AtomicInteger next = new AtomicInteger();
            end.onFrame(frame -> {
                if (!frame.equals(Unpooled.wrappedBuffer(patternBytes(LARGE_FRAME_BYTES, next.getAndIncrement())))) {
                    end.fault("frame " + next + " was corrupted");
                }
            });
            PacedSender sender = new PacedSender(end.connection(), count, number -> pattern(LARGE_FRAME_BYTES, number));
            end.onWritable(sender::resume);
            senders.add(sender);
        }
        senders.forEach(PacedSender::start);
        awaitFrames(ends.dialer(), count);
        awaitFrames(ends.acceptor(), count);
        senders.forEach(sender -> Eventually.get(sender.done(), "the confirmation of all frames"));
    }

    // Back-pressure.

    @Test
    void reader_stops_thenTheWriterStops_andBothResume() {
        Ends ends = connect().completeHandshake(LARGE_FRAME_BYTES);
        setReading(ends.acceptor(), false);
        ends.acceptor().onFrame(frame -> {});
        int count = (int) (2 * BOUND_FOR_STOPPED_READER / LARGE_FRAME_BYTES);
        Connection writer = ends.dialer().connection();
        PacedSender sender = new PacedSender(writer, count, number -> pattern(LARGE_FRAME_BYTES, number));
        ends.dialer().onWritable(sender::resume);
        sender.start();
        // The writer has stopped if it is not writable at two checks and has written nothing between them.
        AtomicInteger lastSeen = new AtomicInteger(-1);
        Eventually.until(
                () -> "the writer continues without a reader: " + sender.writtenBytes() + " bytes",
                () -> sender.written() == count
                        || (!Eventually.on(writer.executor(), writer::isWritable)
                                && lastSeen.getAndSet(sender.written()) == sender.written()));
        assertThat(sender.writtenBytes()).isLessThan(BOUND_FOR_STOPPED_READER);
        assertThat(ends.acceptor().frameCount()).as("frames while stopped").isZero();

        setReading(ends.acceptor(), true);
        awaitFrames(ends.acceptor(), count);
        Eventually.get(sender.done(), "the confirmation of all frames");
        assertThat(ends.dialer().writableCount()).isPositive();
        assertThat(ends.acceptor().frameBytes()).isEqualTo(sender.writtenBytes());
    }

    @Test
    void setReading_false_insideOnFrame_stopsWithThatFrame() {
        Ends ends = connect();
        RecordingListener reader = ends.acceptor();
        AtomicBoolean stopped = new AtomicBoolean();
        reader.onFrame(frame -> {
            if (stopped.getAndSet(true)) {
                reader.fault("a frame while reading is stopped");
            }
            reader.connection().setReading(false);
            reader.connection().executor().execute(() -> {
                stopped.set(false);
                reader.connection().setReading(true);
            });
        });
        send(ends.dialer(), frames(500));
        awaitFrames(reader, 500);
    }

    @Test
    void setReading_falseAndTrue_insideOnFrame_doesNotNestOrReorder() {
        Ends ends = connect();
        RecordingListener reader = ends.acceptor();
        reader.onFrame(frame -> {
            reader.connection().setReading(false);
            reader.connection().setReading(true);
            reader.keep(frame);
        });
        send(ends.dialer(), frames(500));
        awaitFrames(reader, 500);
        Eventually.until(() -> "not all frames are kept", () -> reader.frames().size() == 500);
        for (int i = 0; i < 500; i++) {
            assertThat(reader.frames().get(i)).isEqualTo(Integer.toString(i).getBytes(StandardCharsets.UTF_8));
        }
    }

    // Starting.

    @Test
    void start_late_getsTheFramesReceivedBefore() {
        ConnectionAcceptor acceptor = new ConnectionAcceptor(listener -> {
            for (int i = 0; i < 3; i++) {
                listener.connection().write(text("early " + i), null);
            }
            listener.connection().flush();
        });
        EndpointAddress address =
                transports.listen(transports.open(BOB), anyAddress(), acceptor).address();
        RecordingListener dialer = transports.dialUnstarted(transports.open(ALICE), address, null);
        acceptor.next();
        assertThat(dialer.frameCount()).isZero();
        awaitFrames(dialer.start(), 3);
    }

    @Test
    void start_afterTheRemotePeerClosed_getsItsFramesAndTheEnd() {
        ConnectionAcceptor acceptor = new ConnectionAcceptor(listener -> {
            listener.connection().write(text("the only one"), null);
            listener.connection().close();
        });
        EndpointAddress address =
                transports.listen(transports.open(BOB), anyAddress(), acceptor).address();
        RecordingListener dialer = transports.dialUnstarted(transports.open(ALICE), address, null);
        Eventually.get(acceptor.next().closed(), "the end at the acceptor");
        dialer.start();
        assertThat(Eventually.get(dialer.closed(), "the end at the dialer")).isEmpty();
        assertThat(dialer.frameCount()).isOne();
    }

    @Test
    void start_afterAbort_reportsTheEndWithItsCause() {
        EndpointAddress address = transports
                .listen(transports.open(BOB), anyAddress(), new ConnectionAcceptor())
                .address();
        RecordingListener dialer = transports.dialUnstarted(transports.open(ALICE), address, null);
        IllegalStateException cause = new IllegalStateException("thrown on purpose");
        dialer.connection().abort(cause);
        Eventually.get(dialer.connection().whenClosed(), "the end");
        dialer.start();
        assertThat(Eventually.get(dialer.closed(), "the end at the listener")).contains(cause);
    }

    // Closing.

    @Test
    void close_flushesTheWrittenFrames() {
        Ends ends = connect();
        List<String> confirmed = new CopyOnWriteArrayList<>();
        Eventually.run(ends.dialer().connection().executor(), () -> {
            for (int i = 0; i < 1000; i++) {
                int number = i;
                ends.dialer().connection().write(text("frame " + i), failure -> confirmed.add(number + " " + failure));
            }
            ends.dialer().connection().close();
        });
        assertThat(Eventually.get(ends.acceptor().closed(), "the end at the reader"))
                .isEmpty();
        assertThat(Eventually.get(ends.dialer().closed(), "the end at the writer"))
                .isEmpty();
        assertThat(ends.acceptor().frameCount()).isEqualTo(1000);
        assertThat(confirmed).hasSize(1000);
        for (int i = 0; i < 1000; i++) {
            assertThat(confirmed.get(i)).isEqualTo(i + " null");
        }
        Eventually.get(ends.dialer().connection().whenClosed(), "whenClosed");
        Eventually.get(ends.acceptor().connection().whenClosed(), "whenClosed");
    }

    @Test
    void close_behindMoreThanTheReaderReadsAtATime_losesNothing() {
        Ends ends = connect().completeHandshake(LARGE_FRAME_BYTES);
        int count = 256;
        Eventually.run(ends.dialer().connection().executor(), () -> {
            for (int i = 0; i < count; i++) {
                ends.dialer().connection().write(pattern(LARGE_FRAME_BYTES, i), null);
            }
            ends.dialer().connection().close();
        });
        assertThat(Eventually.get(ends.acceptor().closed(), "the end at the reader"))
                .isEmpty();
        assertThat(ends.acceptor().frameCount()).isEqualTo(count);
        assertThat(ends.acceptor().frames().get(count - 1)).isEqualTo(patternBytes(LARGE_FRAME_BYTES, count - 1));
    }

    @Test
    void close_readerStopped_getsAllFramesAfterItResumes() {
        Ends ends = connect();
        setReading(ends.acceptor(), false);
        send(ends.dialer(), frames(100));
        ends.dialer().connection().close();
        assertThat(Eventually.get(ends.dialer().closed(), "the end at the writer"))
                .isEmpty();
        setReading(ends.acceptor(), true);
        assertThat(Eventually.get(ends.acceptor().closed(), "the end at the reader"))
                .isEmpty();
        assertThat(ends.acceptor().frameCount()).isEqualTo(100);
    }

    @Test
    void shutdownOutput_byTheRemotePeer_deliversWhatCameBefore_thenBothSidesEnd() {
        Ends ends = connect();
        send(ends.dialer(), frames(100));
        Connection writer = ends.dialer().connection();
        assumeThat(Eventually.on(writer.executor(), () -> shutdownOutput(writer)))
                .as("the network of this transport has a half-close")
                .isTrue();
        Eventually.get(ends.acceptor().closed(), "the end at the reader");
        assertThat(ends.acceptor().frameCount()).isEqualTo(100);
        Eventually.get(ends.dialer().closed(), "the end at the writer");
    }

    @Test
    void write_afterClose_releasesTheFrame_andFailsOnce() {
        Ends ends = connect();
        ByteBuf immediate = text("immediately after the close");
        List<Optional<Throwable>> results = new CopyOnWriteArrayList<>();
        Eventually.run(ends.dialer().connection().executor(), () -> {
            ends.dialer().connection().close();
            ends.dialer().connection().write(immediate, failure -> results.add(Optional.ofNullable(failure)));
            ends.dialer().connection().flush();
        });
        assertThat(Eventually.get(ends.dialer().closed(), "the end at the closer"))
                .isEmpty();
        assertThat(Eventually.get(ends.acceptor().closed(), "the end at the remote peer"))
                .isEmpty();

        ByteBuf later = text("later");
        ByteBuf unconfirmed = text("without a listener");
        ByteBuf remote = text("at the remote peer");
        for (RecordingListener end : List.of(ends.dialer(), ends.acceptor())) {
            Eventually.run(end.connection().executor(), () -> {
                boolean near = end == ends.dialer();
                end.connection().write(near ? later : remote, failure -> results.add(Optional.ofNullable(failure)));
                end.connection().write(near ? unconfirmed : text("again"), null);
                end.connection().flush();
                end.connection().setReading(false);
                end.connection().setReading(true);
            });
        }
        Eventually.until(() -> "reported: " + results, () -> results.size() == 3);
        assertThat(results).allMatch(Optional::isPresent);
        for (ByteBuf frame : List.of(immediate, later, unconfirmed, remote)) {
            assertThat(frame.refCnt()).isZero();
        }
        assertThat(ends.acceptor().frameCount()).isZero();
    }

    @Test
    void abort_dropsTheWrittenFrames_andBothSidesAreNotified() {
        Ends ends = connect();
        ByteBuf lost = text("lost");
        IllegalStateException cause = new IllegalStateException("thrown on purpose");
        List<Optional<Throwable>> results = new CopyOnWriteArrayList<>();
        Eventually.run(ends.dialer().connection().executor(), () -> {
            ends.dialer().connection().write(lost, failure -> results.add(Optional.ofNullable(failure)));
            ends.dialer().connection().abort(cause);
        });
        assertThat(Eventually.get(ends.dialer().closed(), "the end at this side"))
                .contains(cause);
        Optional<Throwable> remote = Eventually.get(ends.acceptor().closed(), "the end at the remote peer");
        if (distinguishesAbortFromClose()) {
            assertThat(remote)
                    .get()
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISCONNECTED));
        }
        assertThat(ends.acceptor().frameCount()).isZero();
        Eventually.until(() -> "reported: " + results, () -> results.size() == 1);
        assertThat(results.get(0)).isPresent();
        assertThat(lost.refCnt()).isZero();
    }

    /** The endpoint counts frames, so those that arrive before an abort must be the first ones. */
    @Test
    void abort_whileTheRemotePeerReads_leavesNoGap() {
        Transport alice = transports.open(ALICE);
        Transport bob = transports.open(BOB);
        for (int round = 0; round < 10; round++) {
            Ends ends = transports.connect(alice, bob, anyAddress());
            AtomicInteger next = new AtomicInteger();
            ends.acceptor().onFrame(frame -> {
                int number = frame.readInt();
                if (number != next.getAndIncrement()) {
                    ends.acceptor().fault("frame " + number + " (expected: " + (next.get() - 1) + ")");
                }
            });
            int enough = 100 * round;
            PacedSender sender = new PacedSender(
                    ends.dialer().connection(),
                    3_000,
                    number -> withHeadroom(Integer.BYTES).writeInt(number));
            ends.dialer().onWritable(sender::resume);
            sender.start();
            Eventually.until(() -> next + " frames", () -> next.get() >= enough);
            ends.dialer().connection().abort(null);
            Eventually.get(ends.acceptor().closed(), "the end at the remote peer");
            assertThat(ends.acceptor().faults()).isEmpty();
        }
    }

    @Test
    void abort_withoutCause_reportsNoneToThisSide() {
        Ends ends = connect();
        ends.acceptor().connection().abort(null);
        assertThat(Eventually.get(ends.acceptor().closed(), "the end at this side"))
                .isEmpty();
        Eventually.get(ends.dialer().closed(), "the end at the remote peer");
    }

    @Test
    void abort_withAFullQueue_doesNotWaitForTheReader() {
        TransportLimits longTimeout = TestTransports.PATIENT_LIMITS.toBuilder()
                .closeTimeout(Duration.ofMinutes(30))
                .build();
        Ends ends = transports
                .connect(transports.open(ALICE, longTimeout), transports.open(BOB, longTimeout), anyAddress())
                .completeHandshake(LARGE_FRAME_BYTES);
        ends.fillUp();
        ends.dialer().connection().abort(null);
        Eventually.get(ends.dialer().closed(), "the end at this side");
    }

    @Test
    void close_fromManyThreads_endsOnce() throws Exception {
        Ends ends = connect();
        CountDownLatch ready = new CountDownLatch(8);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            RecordingListener end = i % 2 == 0 ? ends.dialer() : ends.acceptor();
            boolean abort = i % 4 > 1;
            threads.add(new Thread(() -> {
                ready.countDown();
                Eventually.until(() -> "not all threads run", () -> ready.getCount() == 0);
                for (int n = 0; n < 10; n++) {
                    if (abort) {
                        end.connection().abort(null);
                    } else {
                        end.connection().close();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        Eventually.get(ends.dialer().closed(), "the end at the dialer");
        Eventually.get(ends.acceptor().closed(), "the end at the acceptor");
        ends.dialer().connection().close();
        ends.dialer().connection().abort(new IllegalStateException("too late"));
        Eventually.get(ends.dialer().connection().whenClosed(), "whenClosed");
    }

    enum EndAction {
        CLOSE,
        ABORT,
        THROW
    }

    @ParameterizedTest
    @EnumSource
    void end_insideOnFrame_isTheLastFrame(EndAction action) {
        Ends ends = connect();
        RecordingListener reader = ends.acceptor();
        IllegalStateException cause = new IllegalStateException("thrown on purpose");
        reader.onFrame(frame -> {
            switch (action) {
                case CLOSE -> reader.connection().close();
                case ABORT -> reader.connection().abort(null);
                case THROW -> throw cause;
            }
            reader.connection().close();
            reader.connection().abort(null);
        });
        send(ends.dialer(), frames(100));
        Optional<Throwable> reported = Eventually.get(reader.closed(), "the end at this side");
        assertThat(reported).isEqualTo(action == EndAction.THROW ? Optional.of(cause) : Optional.empty());
        Eventually.get(ends.dialer().closed(), "the end at the remote peer");
        Eventually.run(reader.connection().executor(), () -> {}); // the tasks that were queued are done
        assertThat(reader.frameCount()).isOne();
    }

    @Test
    void abort_afterClose_insideOnFrame_reportsTheCause() {
        Ends ends = connect();
        RecordingListener reader = ends.acceptor();
        IllegalStateException cause = new IllegalStateException("thrown on purpose");
        reader.onFrame(frame -> {
            reader.connection().close();
            reader.connection().abort(cause);
        });
        send(ends.dialer(), frames(1));
        assertThat(Eventually.get(reader.closed(), "the end at this side")).contains(cause);
    }

    @ParameterizedTest
    @EnumSource
    void end_insideOnWritable_isSafe(EndAction action) {
        Ends ends = connect().completeHandshake(LARGE_FRAME_BYTES);
        RecordingListener writer = ends.dialer();
        IllegalStateException cause = new IllegalStateException("thrown on purpose");
        writer.onWritable(() -> {
            switch (action) {
                case CLOSE -> writer.connection().close();
                case ABORT -> writer.connection().abort(null);
                case THROW -> throw cause;
            }
        });
        ends.fillUp();
        setReading(ends.acceptor(), true);
        Optional<Throwable> reported = Eventually.get(writer.closed(), "the end at this side");
        assertThat(reported).isEqualTo(action == EndAction.THROW ? Optional.of(cause) : Optional.empty());
        Eventually.get(ends.acceptor().closed(), "the end at the remote peer");
    }

    @Test
    void end_insideOnClosedAndOnWritten_isSafe() {
        Ends ends = connect();
        RecordingListener end = ends.dialer();
        end.onClosed(cause -> {
            end.connection().close();
            end.connection().abort(null);
            throw new IllegalStateException("thrown on purpose");
        });
        Eventually.run(end.connection().executor(), () -> {
            end.connection()
                    .write(text("last frame"), failure -> end.connection().close());
            end.connection().flush();
        });
        Eventually.get(end.connection().whenClosed(), "whenClosed, although onClosed threw");
        Eventually.get(ends.acceptor().closed(), "the end at the remote peer");
        assertThat(ends.acceptor().frameCount()).isOne();
    }

    @Test
    void listener_throws_closesThatConnectionAlone() {
        Transport alice = transports.open(ALICE);
        Transport bob = transports.open(BOB);
        Ends others = transports.connect(alice, bob, anyAddress());
        for (Throwable thrown :
                List.of(new IllegalStateException("thrown on purpose"), new AssertionError("thrown on purpose"))) {
            Ends ends = transports.connect(alice, bob, anyAddress());
            ends.acceptor().onFrame(frame -> throwUnchecked(thrown));
            send(ends.dialer(), frames(3));
            assertThat(Eventually.get(ends.acceptor().closed(), "the end at this side"))
                    .get()
                    .satisfies(cause -> assertThat(rootOf(cause)).isSameAs(thrown));
            Eventually.get(ends.dialer().closed(), "the end at the remote peer");
        }
        send(others.dialer(), text("payload"));
        awaitFrames(others.acceptor(), 1);
        assertThat(others.dialer().closed()).isNotDone();
    }

    private static Throwable rootOf(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static void throwUnchecked(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) thrown;
    }

    @Test
    void transportClose_endsServersAndConnections() {
        Transport alice = transports.open(ALICE);
        Transport bob = transports.open(BOB);
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        TransportServer server = transports.listen(bob, anyAddress(), acceptor);
        Eventually.get(server.whenReachable(), "the server, reachable");
        RecordingListener dialer = transports.dial(alice, server.address(), null);
        RecordingListener accepted = acceptor.next();
        RecordingListener unstarted = transports.dialUnstarted(alice, server.address(), null);

        bob.close();
        assertThat(bob.isClosing()).isTrue();
        assertThat(bob.whenClosed()).as("close() waits").isDone();
        assertThat(bob.closeAsync()).as("closing twice").isDone();
        assertThat(server.whenClosed()).isDone();
        assertThat(accepted.closed()).isDone();
        Eventually.get(dialer.closed(), "the end at the remote peer");
        Eventually.get(unstarted.start().closed(), "the end at the remote peer");
        assertThat(alice.isClosing()).isFalse();
        transports.connect(alice, transports.open(CAROL), anyAddress());
    }

    @Test
    void closeFutures_areCopies() {
        Transport alice = transports.open(ALICE);
        TransportServer server = transports.listen(alice, anyAddress(), new ConnectionAcceptor());
        for (AsyncCloseable each : List.of(server, alice)) {
            each.whenClosed().complete(null);
            assertThat(each.whenClosed())
                    .as("after a caller has completed its own future")
                    .isNotDone();
            each.closeAsync().cancel(false);
            Eventually.get(each.whenClosed(), "closing");
            each.closeAsync().obtrudeException(new IllegalStateException("of a caller"));
            Eventually.get(each.closeAsync(), "closing again");
        }
    }

    @Test
    void transportClose_withAFullQueue_doesNotWaitForTheReader() {
        TransportLimits longTimeout = TestTransports.PATIENT_LIMITS.toBuilder()
                .closeTimeout(Duration.ofMinutes(30))
                .build();
        Transport alice = transports.open(ALICE, longTimeout);
        Ends ends = transports
                .connect(alice, transports.open(BOB, longTimeout), anyAddress())
                .completeHandshake(LARGE_FRAME_BYTES);
        ends.fillUp();
        Eventually.get(alice.closeAsync(), "closing the transport");
        assertThat(ends.dialer().closed()).isDone();
    }

    @Test
    void transportClose_fromACallback_doesNotWaitForItself() {
        Transport alice = transports.open(ALICE);
        Transport bob = transports.open(BOB);
        Ends ends = transports.connect(alice, bob, anyAddress());
        ends.acceptor().onFrame(frame -> bob.close());
        send(ends.dialer(), text("close!"));
        Eventually.get(bob.whenClosed(), "closing from a callback");
        Eventually.get(ends.dialer().closed(), "the end at the remote peer");
    }

    // Helpers.

    private static ParleyException assertFailsWith(CompletableFuture<?> future, ErrorCode code, String text) {
        Throwable failure = Eventually.failure(future, "this call");
        assertThat(failure).isInstanceOf(ParleyException.class).hasMessageContaining(text);
        ParleyException known = (ParleyException) failure;
        assertThat(known.code()).as(known.getMessage()).isEqualTo(code);
        return known;
    }

    private static void send(RecordingListener from, ByteBuf... frames) {
        Eventually.run(from.connection().executor(), () -> {
            for (ByteBuf frame : frames) {
                from.connection().write(frame, null);
            }
            from.connection().flush();
        });
    }

    private static void awaitFrames(RecordingListener listener, int count) {
        Eventually.until(
                () -> listener.frameCount() + " frames were received, not " + count
                        + (listener.closed().isDone() ? "; closed: " + listener.closed() : ""),
                () -> listener.frameCount() >= count);
        assertThat(listener.frameCount()).isEqualTo(count);
    }

    private static void setReading(RecordingListener listener, boolean reading) {
        Eventually.run(
                listener.connection().executor(), () -> listener.connection().setReading(reading));
    }

    private static ByteBuf[] frames(int count) {
        ByteBuf[] frames = new ByteBuf[count];
        for (int i = 0; i < count; i++) {
            frames[i] = text(Integer.toString(i));
        }
        return frames;
    }

    private static ByteBuf text(String text) {
        return withHeadroom(100).writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private static ByteBuf withHeadroom(int bytes) {
        return ByteBufAllocator.DEFAULT
                .ioBuffer(Connection.HEADROOM + bytes)
                .setIndex(Connection.HEADROOM, Connection.HEADROOM);
    }

    private static ByteBuf pattern(int bytes, int seed) {
        return withHeadroom(bytes).writeBytes(patternBytes(bytes, seed));
    }

    private static byte[] patternBytes(int bytes, int seed) {
        byte[] content = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            content[i] = (byte) (i * 31 + seed);
        }
        return content;
    }
}
