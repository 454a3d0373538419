package io.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.parley.common.Scheduler;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.testkit.LoopbackNetwork;
import io.parley.testkit.transport.TestTransports;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportSecurity;
import io.parley.transport.TransportServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HostTurnHandlerTest {

    private static final long TURN_NANOS = HostTurns.TURN.toNanos();

    private final Queue<Runnable> loop = new ArrayDeque<>();
    private final Queue<Runnable> afterIteration = new ArrayDeque<>();
    private long nanoTime;
    private final HostTurns turns = new HostTurns(loop::add, afterIteration::add, () -> nanoTime);
    private final List<String> events = new ArrayList<>();

    /** Passes on the frames. */
    private record FrameListener(Consumer<ByteBuf> onFrame) implements ConnectionListener {

        @Override
        public void onFrame(ByteBuf frame) {
            onFrame.accept(frame);
        }

        @Override
        public void onReadComplete() {}

        @Override
        public void onWritable() {}

        @Override
        public void onClosed(@Nullable Throwable cause) {}
    }

    /** Records the events. */
    private final class Recorder extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            ByteBuf read = (ByteBuf) bytes;
            events.add("read " + read.readByte());
            read.release();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            events.add("complete");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            events.add("exception");
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            events.add("inactive");
        }
    }

    private EmbeddedChannel channel() {
        return new EmbeddedChannel(new HostTurnHandler(turns), new Recorder()) {
            @Override
            protected SocketAddress remoteAddress0() {
                return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
            }
        };
    }

    private static ByteBuf bytes(int value) {
        return Unpooled.buffer().writeByte(value);
    }

    /** Lets the turn of this iteration end. */
    private void useTurn() {
        assertThat(turns.mayRun()).isTrue();
        nanoTime += TURN_NANOS;
    }

    private void runAll() {
        while (!loop.isEmpty() || !afterIteration.isEmpty()) {
            while (!loop.isEmpty()) {
                loop.remove().run();
            }
            while (!afterIteration.isEmpty()) {
                afterIteration.remove().run();
            }
        }
    }

    @Test
    void bytes_inTheTurn_passAtOnce() {
        EmbeddedChannel channel = channel();
        channel.writeInbound(bytes(1));
        assertThat(events).containsExactly("read 1", "complete");
        assertThat(channel.config().isAutoRead()).isTrue();
        channel.finishAndReleaseAll();
    }

    @Test
    void bytes_afterTheTurn_areKept_andTheChannelDoesNotRead() {
        EmbeddedChannel channel = channel();
        useTurn();
        channel.writeInbound(bytes(1), bytes(2));
        assertThat(events).isEmpty();
        assertThat(channel.config().isAutoRead()).isFalse();
        runAll();
        assertThat(events).containsExactly("read 1", "read 2", "complete");
        assertThat(channel.config().isAutoRead()).isTrue();
        channel.finishAndReleaseAll();
    }

    @Test
    void readThatPassed_isComplete_whileTheNextOneIsKept() {
        EmbeddedChannel channel = channel();
        channel.writeOneInbound(bytes(1));
        nanoTime += TURN_NANOS;
        channel.writeOneInbound(bytes(2));
        channel.flushInbound();
        assertThat(events).containsExactly("read 1", "complete");
        channel.flushInbound();
        assertThat(events).containsExactly("read 1", "complete");
        runAll();
        assertThat(events).containsExactly("read 1", "complete", "read 2", "complete");
        channel.finishAndReleaseAll();
    }

    @Test
    void channelThatDoesNotRead_doesNotReadAfterItsTurn() {
        EmbeddedChannel channel = channel();
        channel.config().setAutoRead(false);
        useTurn();
        channel.writeInbound(bytes(1));
        runAll();
        assertThat(events).containsExactly("read 1", "complete");
        assertThat(channel.config().isAutoRead()).isFalse();
        channel.finishAndReleaseAll();
    }

    @Test
    void endOfTheChannel_comesAfterItsBytes() {
        EmbeddedChannel channel = channel();
        useTurn();
        channel.writeInbound(bytes(1));
        channel.close();
        runAll();
        assertThat(events).containsExactly("read 1", "complete", "inactive");
    }

    @Test
    void failureOfARead_comesAfterTheBytes() {
        EmbeddedChannel channel = channel();
        useTurn();
        channel.writeInbound(bytes(1));
        channel.pipeline().fireExceptionCaught(new IllegalStateException());
        runAll();
        assertThat(events).containsExactly("read 1", "complete", "exception");
        channel.finishAndReleaseAll();
    }

    @Test
    void keptBytes_areReleasedWithTheHandler() {
        EmbeddedChannel channel = channel();
        ByteBuf kept = bytes(1);
        useTurn();
        channel.writeInbound(kept);
        channel.pipeline().remove(HostTurnHandler.class);
        assertThat(kept.refCnt()).isZero();
        runAll();
        assertThat(events).isEmpty();
        channel.finishAndReleaseAll();
    }

    // -- reading that is started or stopped while bytes are kept

    private final List<Integer> frames = new ArrayList<>();
    private Runnable afterFrame = () -> {};

    /** Returns the list of the reads of the channel, in which further ones are recorded. */
    private static List<String> recordReads(EmbeddedChannel channel) {
        List<String> reads = new ArrayList<>();
        channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void read(ChannelHandlerContext context) {
                reads.add("read");
                context.read();
            }
        });
        return reads;
    }

    /** Returns the connection of a channel, whose frames are of one byte and recorded. */
    private TcpConnection connection(EmbeddedChannel channel) {
        channel.pipeline().removeLast();
        TransportContext context = new TransportContext(
                Identity.generate(),
                TransportSecurity.PLAINTEXT,
                TestTransports.PATIENT_LIMITS,
                new EndpointMetrics(),
                Scheduler.system());
        TcpConnection connection =
                new TcpConnection(context, channel, EndpointAddress.parse("tcp://127.0.0.1:1"), false, null, () -> {});
        connection.install();
        connection.start(new FrameListener(frame -> {
            frames.add((int) frame.readByte());
            afterFrame.run();
        }));
        channel.runPendingTasks();
        return connection;
    }

    private static ByteBuf frame(int value) {
        return Unpooled.buffer().writeInt(1).writeByte(value);
    }

    @Test
    void connectionThatStopsReading_whileBytesAreKept_readsNoMore() {
        EmbeddedChannel channel = channel();
        TcpConnection connection = connection(channel);
        assertThat(channel.config().isAutoRead()).isTrue();
        useTurn();
        channel.writeInbound(frame(1));
        connection.setReading(false);
        runAll();
        assertThat(frames).isEmpty();
        assertThat(channel.config().isAutoRead()).isFalse();
        connection.setReading(true);
        assertThat(frames).containsExactly(1);
        channel.finishAndReleaseAll();
    }

    @Test
    void connectionThatStopsReading_atAFrame_readsNoMore() {
        EmbeddedChannel channel = channel();
        TcpConnection connection = connection(channel);
        List<String> reads = recordReads(channel);
        afterFrame = () -> connection.setReading(false);
        channel.writeInbound(frame(1));
        channel.writeInbound(frame(2)); // as if it had arrived before
        assertThat(frames).containsExactly(1);
        assertThat(reads).isEmpty();
        channel.finishAndReleaseAll();
    }

    @Test
    void connectionThatStopsReading_atAFrameThatWasKept_readsNoMore() {
        EmbeddedChannel channel = channel();
        TcpConnection connection = connection(channel);
        List<String> reads = recordReads(channel);
        afterFrame = () -> {
            connection.setReading(false);
            reads.clear(); // the channel forgets what it was asked before
        };
        useTurn();
        channel.writeInbound(frame(1));
        runAll();
        assertThat(frames).containsExactly(1);
        assertThat(channel.config().isAutoRead()).isFalse();
        assertThat(reads).isEmpty();
        channel.finishAndReleaseAll();
    }

    @Test
    void connectionThatStartsToRead_whileBytesAreKept_readsAfterItsTurn() {
        EmbeddedChannel channel = channel();
        TcpConnection connection = connection(channel);
        connection.setReading(false);
        useTurn();
        channel.writeInbound(frame(1));
        connection.setReading(true);
        assertThat(channel.config().isAutoRead()).as("one read is kept").isFalse();
        runAll();
        assertThat(frames).containsExactly(1);
        assertThat(channel.config().isAutoRead()).isTrue();
        channel.finishAndReleaseAll();
    }

    @Test
    void handshakeThatStartsToRead_whileBytesAreKept_readsAfterItsTurn() {
        EmbeddedChannel channel = channel();
        channel.config().setAutoRead(false);
        useTurn();
        channel.writeInbound(bytes(1));
        channel.config().setAutoRead(true);
        assertThat(channel.config().isAutoRead()).as("one read is kept").isFalse();
        runAll();
        assertThat(channel.config().isAutoRead()).isTrue();
        channel.finishAndReleaseAll();
    }

    @Test
    void readWithoutAutoRead_whileBytesAreKept_isMadeAfterTheTurn() {
        EmbeddedChannel channel = channel();
        List<String> reads = recordReads(channel);
        channel.config().setAutoRead(false);
        useTurn();
        channel.writeInbound(bytes(1));
        channel.read(); // as a TLS handler does whose record is not complete
        assertThat(reads).isEmpty();
        runAll();
        assertThat(reads).containsExactly("read");
        channel.finishAndReleaseAll();
    }

    @Test
    void failure_thatEndsTheWait_doesNotRestoreTheReadingLater() {
        EmbeddedChannel channel = channel();
        useTurn();
        channel.writeInbound(bytes(1));
        channel.pipeline().fireExceptionCaught(new IllegalStateException());
        assertThat(channel.config().isAutoRead()).isTrue();
        channel.config().setAutoRead(false);
        runAll();
        assertThat(channel.config().isAutoRead()).isFalse();
        channel.finishAndReleaseAll();
    }

    // -- a transport

    /** The system's timers, and a clock that shows the end of a turn each time. */
    private static final class FastClock implements Scheduler {

        private final AtomicLong nanoTime = new AtomicLong();

        @Override
        public Clock clock() {
            return Clock.systemUTC();
        }

        @Override
        public long nanoTime() {
            return nanoTime.addAndGet(TURN_NANOS);
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            return Scheduler.system().schedule(delay, task);
        }

        @Override
        public Random random() {
            return Scheduler.system().random();
        }
    }

    private static final int CONNECTIONS = 12;

    private static Socket connect(TransportServer server, String from) throws Exception {
        return new Socket(
                InetAddress.getByName(server.address().host()),
                server.address().port(),
                InetAddress.getByName(from),
                0);
    }

    private static void sendFrame(Socket socket) throws Exception {
        byte[] frame = ByteBuffer.allocate(FrameDecoder.LENGTH_BYTES + 1)
                .putInt(1)
                .put((byte) 1)
                .array();
        socket.getOutputStream().write(frame);
    }

    @Test
    void frameOfOneHost_doesNotWaitForAllConnectionsOfAnother() throws Exception {
        LoopbackNetwork.assumeAvailable();
        List<String> hosts = new CopyOnWriteArrayList<>();
        BlockingQueue<Connection> accepted = new LinkedBlockingQueue<>();
        List<Socket> sockets = new ArrayList<>();
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            TransportServer server = Eventually.get(
                    transports
                            .open(new TransportContext(
                                    Identity.generate(),
                                    TransportSecurity.PLAINTEXT,
                                    TestTransports.PATIENT_LIMITS,
                                    new EndpointMetrics(),
                                    new FastClock()))
                            .listen(EndpointAddress.parse("tcp://127.0.0.1:0"), connection -> {
                                connection.start(new FrameListener(frame ->
                                        hosts.add(connection.remoteAddress().host())));
                                connection.completeHandshake(Connection.MAX_HANDSHAKE_FRAME_BYTES);
                                accepted.add(connection);
                            }),
                    "listening");
            Socket one = connect(server, "127.0.0.1");
            sockets.add(one);
            Connection ofOne = accepted.poll(Eventually.DEADLINE.toSeconds(), TimeUnit.SECONDS);
            List<Socket> others = new ArrayList<>();
            while (others.size() < CONNECTIONS) {
                Socket other = connect(server, "127.0.0.2");
                sockets.add(other);
                if (accepted.poll(Eventually.DEADLINE.toSeconds(), TimeUnit.SECONDS)
                                .executor()
                        == ofOne.executor()) {
                    others.add(other);
                }
            }
            CountDownLatch sent = new CountDownLatch(1);
            // so that the loop finds the frames of all connections
            ofOne.executor().execute(() -> Eventually.latch(sent, "the frames"));
            for (Socket other : others) {
                sendFrame(other);
            }
            sendFrame(one);
            sent.countDown();
            Eventually.until(() -> "frames of " + hosts, () -> hosts.size() == CONNECTIONS + 1);
            assertThat(hosts.indexOf("127.0.0.1")).isBetween(0, 2);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }
}
