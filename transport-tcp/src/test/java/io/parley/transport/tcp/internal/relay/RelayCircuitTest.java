package io.parley.transport.tcp.internal.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualEventLoops;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.RelayLimits;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Circuits of a relay, each connection with an event loop of its own, whose tasks run when a test runs them: what happens between a request
 * and its circuit.
 */
class RelayCircuitTest {

    private static final long SEED = 7;
    private static final PeerId TARGET = Identity.generate().peerId();

    /** The numbers from which the relay makes the ids of its circuits. */
    private final Random ids = new Random(SEED);

    private final ManualScheduler scheduler = new ManualScheduler(new ManualClock(Instant.EPOCH), new Random(SEED));
    private final EndpointMetrics metrics = new EndpointMetrics();
    private final TransportContext context = new TransportContext(
            Identity.generate(), TransportSecurity.PLAINTEXT, TransportLimits.DEFAULTS, metrics, scheduler);
    private final List<EmbeddedChannel> channels = new ArrayList<>();
    private final List<String> rejections = new ArrayList<>();
    private Relay relay = new Relay(RelayLimits.DEFAULTS, metrics, scheduler);

    @AfterEach
    void closeChannels() {
        channels.forEach(EmbeddedChannel::finishAndReleaseAll);
        channels.forEach(EmbeddedChannel::runPendingTasks);
        assertThat(relay.circuitCount()).as("circuits that were not given back").isZero();
        assertThat(scheduler.pending()).as("timers that were not cancelled").isZero();
    }

    private UUID nextId() {
        return new UUID(ids.nextLong(), ids.nextLong());
    }

    /** Counts the reads that handlers request. */
    private static final class ReadCounter extends ChannelOutboundHandlerAdapter {

        private int reads;

        @Override
        public void read(ChannelHandlerContext context) {
            reads++;
        }
    }

    private final class ChannelOwner implements RelayRequestHandler.Owner {

        @Override
        public void onDirect() {}

        @Override
        public void onListen(PeerId peer) {}

        @Override
        public void onJoined() {}

        @Override
        public void onRejected(ParleyException reason) {
            rejections.add(reason.getMessage());
        }
    }

    private EmbeddedChannel accepted(int host) {
        return prepared(new EmbeddedChannel(), host);
    }

    private EmbeddedChannel prepared(EmbeddedChannel channel, int host) {
        channels.add(channel);
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(128 * 1024, 512 * 1024));
        channel.pipeline()
                .addLast(new ReadCounter())
                .addLast(new RelayRequestHandler(
                        context, relay, channel, new InetSocketAddress("192.0." + host + ".1", 1), new ChannelOwner()));
        return channel;
    }

    private static void request(EmbeddedChannel channel, RelayRequest request, String early) {
        receive(channel, Unpooled.wrappedBuffer(request.write(channel.alloc()), text(early)));
    }

    private static void receive(Channel channel, ByteBuf bytes) {
        channel.pipeline().fireChannelRead(bytes).fireChannelReadComplete();
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    /** A connection that dials the target, with bytes behind the request. */
    private EmbeddedChannel dialer(String early) {
        EmbeddedChannel dialer = accepted(1);
        request(dialer, new RelayRequest.Dial(TARGET), early);
        return dialer;
    }

    /** A connection that accepts a circuit; nothing is joined yet. */
    private EmbeddedChannel acceptor(UUID id, String early) {
        EmbeddedChannel acceptor = accepted(2);
        request(acceptor, new RelayRequest.Accept(id), early);
        return acceptor;
    }

    private static String sent(EmbeddedChannel channel) {
        StringBuilder all = new StringBuilder();
        for (ByteBuf next = channel.readOutbound(); next != null; next = channel.readOutbound()) {
            all.append(next.toString(StandardCharsets.ISO_8859_1));
            next.release();
        }
        return all.toString();
    }

    private static String ok() {
        ByteBuf response = RelayResponse.OK.write(Unpooled.buffer().alloc());
        try {
            return response.toString(StandardCharsets.ISO_8859_1);
        } finally {
            response.release();
        }
    }

    /** Closes without running the tasks before, as the network does. */
    private static void disconnect(EmbeddedChannel channel) {
        channel.pipeline().close();
    }

    private static void run(EmbeddedChannel... inOrder) {
        for (int i = 0; i < 3; i++) {
            for (EmbeddedChannel channel : inOrder) {
                channel.runPendingTasks();
            }
        }
    }

    @Test
    void join_eachResponseComesBeforeTheBytesOfTheOther() {
        EmbeddedChannel dialer = dialer("");
        EmbeddedChannel acceptor = acceptor(nextId(), "from the acceptor");
        assertThat(dialer.config().isAutoRead()).isFalse();
        assertThat(acceptor.config().isAutoRead()).isFalse();

        run(dialer, acceptor);
        receive(dialer, text("from the dialer")); // a socket would have sent it before, as a task behind the response
        run(acceptor);
        assertThat(sent(dialer)).isEqualTo(ok() + "from the acceptor");
        assertThat(sent(acceptor)).isEqualTo(ok() + "from the dialer");
        assertThat(dialer.config().isAutoRead()).isTrue();
        assertThat(acceptor.config().isAutoRead()).isTrue();
        assertThat(metrics.get(Counter.CIRCUITS_OPENED)).isEqualTo(1);

        receive(dialer, text("more"));
        run(acceptor);
        assertThat(sent(acceptor)).isEqualTo("more");
        disconnect(acceptor);
        run(dialer);
        assertThat(dialer.isOpen()).isFalse();
        assertThat(relay.circuitCount()).isZero();
        assertThat(rejections).isEmpty();
    }

    /** Bytes behind a request stay in the network. */
    @Test
    void pendingCircuit_readsNothing() {
        EmbeddedChannel dialer = dialer("early");
        assertThat(dialer.pipeline().get(ReadCounter.class).reads).isZero();
        receive(dialer, text("what had been read at that moment"));
        assertThat(dialer.pipeline().get(ReadCounter.class).reads).isZero();
    }

    @Test
    void acceptorCloses_beforeTheJoin_dialerIsRefused() {
        EmbeddedChannel dialer = dialer("");
        EmbeddedChannel acceptor = acceptor(nextId(), "");
        disconnect(acceptor);

        run(acceptor, dialer);
        assertThat(sent(dialer)).contains("closed");
        assertThat(dialer.isOpen()).isFalse();
    }

    @Test
    void dialerCloses_beforeTheJoin_acceptorIsClosed() {
        EmbeddedChannel dialer = dialer("");
        EmbeddedChannel acceptor = acceptor(nextId(), "");
        disconnect(dialer);

        run(acceptor, dialer);
        assertThat(acceptor.isOpen()).isFalse();
    }

    @Test
    void acceptorCloses_inTheJoin_dialerIsClosed() {
        EmbeddedChannel dialer = dialer("early");
        EmbeddedChannel acceptor = acceptor(nextId(), "");
        acceptor.runPendingTasks(); // its response
        disconnect(acceptor);

        run(dialer, acceptor);
        assertThat(dialer.isOpen()).isFalse();
    }

    /** The task that begins may find a connection whose handlers are gone, which is no failure for the log. */
    @Test
    void acceptorIsGone_whenItBegins_hasNoEffect() {
        EmbeddedChannel acceptor = acceptor(UUID.randomUUID(), "early");
        RelayRequestHandler handler = acceptor.pipeline().get(RelayRequestHandler.class);
        ChannelHandlerContext removed = acceptor.pipeline().context(handler);
        acceptor.close();
        assertThat(removed.isRemoved()).isTrue();
        handler.onJoined(removed);
    }

    @Test
    void dialerCloses_inTheJoin_acceptorIsClosed() {
        EmbeddedChannel dialer = dialer("early");
        EmbeddedChannel acceptor = acceptor(nextId(), "");
        acceptor.runPendingTasks();
        dialer.runPendingTasks();
        disconnect(dialer);

        run(acceptor);
        assertThat(acceptor.isOpen()).isFalse();
    }

    /** The buffer of a peer that reads nothing belongs to the circuit until both connections are closed. */
    @Test
    void dialerCloses_acceptorReadsNothing_circuitCounts() {
        EmbeddedChannel dialer = dialer("");
        EmbeddedChannel acceptor = acceptor(nextId(), "");
        run(dialer, acceptor);
        acceptor.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void flush(ChannelHandlerContext context) {
                // the kernel accepts nothing
            }
        });
        receive(dialer, text("last words"));
        disconnect(dialer);
        run(acceptor);
        assertThat(acceptor.isOpen()).isTrue();
        assertThat(relay.circuitCount()).isEqualTo(1);

        disconnect(acceptor);
        assertThat(relay.circuitCount()).isZero();
    }

    /** A relay keeps little for a peer that reads nothing, however much each connection of a peer may queue. */
    @Test
    void otherConnectionIsNotWritable_stopsReading_untilItIs() {
        EmbeddedChannel dialer = dialer("");
        EmbeddedChannel acceptor = acceptor(nextId(), "");
        run(dialer, acceptor);
        boolean[] full = {true};
        acceptor.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void flush(ChannelHandlerContext context) {
                if (!full[0]) {
                    context.flush();
                }
            }
        });
        int sent = 0;
        while (dialer.config().isAutoRead() && sent < 10_000_000) {
            receive(dialer, dialer.alloc().buffer(1024).writeZero(1024));
            acceptor.runPendingTasks();
            sent += 1024;
        }
        assertThat(sent).isBetween(CircuitHalf.MAX_QUEUED_BYTES / 2, 2 * CircuitHalf.MAX_QUEUED_BYTES);

        full[0] = false;
        acceptor.flush();
        run(dialer, acceptor);
        assertThat(dialer.config().isAutoRead()).isTrue();
    }

    @Test
    void unknownCircuit_acceptorIsRefused() {
        EmbeddedChannel acceptor = acceptor(UUID.randomUUID(), "");
        run(acceptor);
        assertThat(sent(acceptor)).contains("the dialer has given it up");
        assertThat(acceptor.isOpen()).isFalse();
    }

    @Test
    void circuit_isAcceptedOnce() {
        EmbeddedChannel dialer = dialer("");
        UUID id = nextId();
        EmbeddedChannel first = acceptor(id, "");
        EmbeddedChannel second = acceptor(id, "");
        run(dialer, first, second);
        assertThat(sent(second)).contains("the dialer has given it up");
        assertThat(first.isOpen()).isTrue();
        assertThat(dialer.isOpen()).isTrue();
    }

    /** One host leaves room for others, in total and at each client. */
    @Test
    void circuits_ofOneHost_leaveRoomForOthers() {
        relay = new Relay(
                RelayLimits.DEFAULTS.toBuilder()
                        .maxCircuits(20)
                        .maxCircuitsPerClient(10)
                        .build(),
                metrics,
                scheduler);
        for (int client = 0; client < 3; client++) {
            PeerId target = Identity.generate().peerId();
            for (int i = 0; i < 12; i++) {
                request(accepted(1), new RelayRequest.Dial(target), "");
            }
            EmbeddedChannel other = accepted(2);
            request(other, new RelayRequest.Dial(target), "");
            run(other);
            assertThat(other.isOpen()).isTrue();
        }
        channels.forEach(EmbeddedChannel::runPendingTasks);
        assertThat(channels.stream().filter(EmbeddedChannel::isOpen)).hasSize(15 + 3);
        assertThat(rejections)
                .anySatisfy(reason -> assertThat(reason).contains("maxCircuitsPerClient 10"))
                .anySatisfy(reason -> assertThat(reason).contains("maxCircuits 20"));
    }

    @Test
    void circuits_ofAHostThatIsAlone_leaveRoomForOthers() {
        relay = new Relay(RelayLimits.DEFAULTS.toBuilder().maxCircuits(20).build(), metrics, scheduler);
        for (int i = 0; i < 20; i++) {
            request(accepted(1), new RelayRequest.Dial(TARGET), "");
        }
        channels.forEach(EmbeddedChannel::runPendingTasks);
        assertThat(relay.circuitCount()).isEqualTo(16);
        assertThat(metrics.get(Counter.CIRCUITS_REFUSED)).isEqualTo(4);
    }

    /** A peer that comes to listen while the dial is under way gets all the time to accept. */
    @Test
    void clientReturns_duringTheDial_hasTheTimeToAccept() {
        InMemoryNetwork network = new InMemoryNetwork(new ManualEventLoops(scheduler, 2));
        Transport serving = network.transportProvider().create(context);
        List<Connection> listening = new ArrayList<>();
        EndpointAddress address = EndpointAddress.parse("mem://relay");
        assertThat(serving.listen(address, listening::add)).isCompleted();
        Transport client = network.transportProvider()
                .create(new TransportContext(
                        Identity.generate(),
                        TransportSecurity.PLAINTEXT,
                        TransportLimits.DEFAULTS,
                        new EndpointMetrics(),
                        scheduler));
        List<String> frames = new ArrayList<>();
        client.dial(address, null).thenAccept(connection -> connection.start(new FrameRecorder(frames)));
        scheduler.runReady();

        boolean[] dialing = {true};
        EmbeddedChannel dialer = prepared(
                new EmbeddedChannel() {
                    @Override
                    public ChannelFuture closeFuture() {
                        if (!dialing[0]) {
                            dialing[0] = true;
                            relay.listen(listening.get(0), TARGET); // as on another thread
                        }
                        return super.closeFuture();
                    }
                },
                1);
        dialing[0] = false;
        request(dialer, new RelayRequest.Dial(TARGET), "");
        scheduler.advance(RelayLimits.DEFAULTS.acceptTimeout().minus(Duration.ofMillis(1)));
        run(dialer);
        assertThat(frames).containsExactly("01", "03");
        assertThat(dialer.isOpen()).isTrue();

        scheduler.advance(Duration.ofMillis(1));
        run(dialer);
        assertThat(sent(dialer)).contains("did not accept within 5 s");
        assertThat(metrics.get(Counter.CIRCUITS_REFUSED)).isEqualTo(1);
        client.closeAsync();
        serving.closeAsync();
        scheduler.runReady();
    }

    /** Records the types of frames. */
    private record FrameRecorder(List<String> frames) implements ConnectionListener {

        @Override
        public void onFrame(ByteBuf frame) {
            frames.add(ByteBufUtil.hexDump(frame, frame.readerIndex(), 1));
        }

        @Override
        public void onReadComplete() {}

        @Override
        public void onWritable() {}

        @Override
        public void onClosed(@Nullable Throwable cause) {}
    }

    @Test
    void handler_withoutARelay_refuses() {
        EmbeddedChannel channel = new EmbeddedChannel();
        channels.add(channel);
        channel.pipeline()
                .addLast(new RelayRequestHandler(
                        context, null, channel, new InetSocketAddress("192.0.2.1", 1), new ChannelOwner()));
        request(channel, new RelayRequest.Dial(TARGET), "");
        assertThat(sent(channel)).contains("this peer is not a relay");
        assertThat(channel.isOpen()).isFalse();
        assertThat(rejections).containsExactly("this peer is not a relay");
    }
}
