package io.parley.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.parley.common.Scheduler;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.testkit.ThreadWatch;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;
import io.parley.transport.TransportServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Opens transports and connections for a test. At its end it closes them, waits until their threads have ended, and fails if a
 * connection has called its listener against the contract.
 */
public final class TestTransports implements AutoCloseable {

    /**
     * The default limits, except for the timeouts, which a stalled thread must not reach. A test with other limits should change
     * these.
     */
    public static final TransportLimits PATIENT_LIMITS = TransportLimits.DEFAULTS.toBuilder()
            .connectTimeout(Eventually.DEADLINE)
            .handshakeTimeout(Eventually.DEADLINE)
            .closeTimeout(Eventually.DEADLINE)
            .build();

    private static final int FILL_FRAME_BYTES = 64 * 1024;
    private static final int FILL_FRAMES = 512;

    private final TransportProvider provider;
    private final TransportSecurity security;
    private final ThreadWatch threads = new ThreadWatch();
    private final Map<Transport, TransportContext> contexts = new HashMap<>();
    private final List<RecordingListener> dialed = new CopyOnWriteArrayList<>();
    private final List<ConnectionAcceptor> acceptors = new ArrayList<>();

    /** A connection between two of the transports. */
    public record Ends(RecordingListener dialer, RecordingListener acceptor) {

        /** Completes the handshake on both ends, with this limit of frames in bytes. */
        public Ends completeHandshake(int maxFrameBytes) {
            for (RecordingListener end : List.of(dialer, acceptor)) {
                Eventually.run(
                        end.connection().executor(), () -> end.connection().completeHandshake(maxFrameBytes));
            }
            return this;
        }

        /** Stops reading at the acceptor and queues more bytes at the dialer than any kernel accepts. */
        public Ends fillUp() {
            Connection reader = acceptor.connection();
            Connection writer = dialer.connection();
            acceptor.onFrame(frame -> {});
            Eventually.run(reader.executor(), () -> reader.setReading(false));
            byte[] content = new byte[FILL_FRAME_BYTES];
            Eventually.run(writer.executor(), () -> {
                for (int i = 0; i < FILL_FRAMES; i++) {
                    writer.write(Unpooled.wrappedBuffer(content), null);
                }
                writer.flush();
            });
            assertThat(Eventually.on(writer.executor(), writer::isWritable)).isFalse();
            return this;
        }
    }

    /** Opens transports of this provider. */
    public TestTransports(TransportProvider provider, TransportSecurity security) {
        this.provider = provider;
        this.security = security;
    }

    /** Opens a transport with the {@linkplain #PATIENT_LIMITS patient limits}. */
    public Transport open(Identity identity) {
        return open(identity, PATIENT_LIMITS);
    }

    /** Opens a transport with these limits. */
    public Transport open(Identity identity, TransportLimits limits) {
        return open(new TransportContext(identity, security, limits, new EndpointMetrics(), Scheduler.system()));
    }

    /** Opens a transport with this context. */
    public Transport open(TransportContext context) {
        Transport transport = provider.create(context);
        contexts.put(transport, context);
        return transport;
    }

    /** Returns the context of a transport. */
    public TransportContext context(Transport transport) {
        return Objects.requireNonNull(contexts.get(transport));
    }

    /** Listens; the acceptor gets the connections. */
    public TransportServer listen(Transport transport, EndpointAddress address, ConnectionAcceptor acceptor) {
        acceptors.add(acceptor);
        return Eventually.get(transport.listen(address, acceptor), "listening on " + address);
    }

    /** Dials and starts a listener on the connection. */
    public RecordingListener dial(Transport transport, EndpointAddress address, @Nullable PeerId expected) {
        return dialUnstarted(transport, address, expected).start();
    }

    /** Dials; the caller must start the listener. */
    public RecordingListener dialUnstarted(Transport transport, EndpointAddress address, @Nullable PeerId expected) {
        Connection connection = Eventually.get(transport.dial(address, expected), "dialing " + address);
        return listener(connection);
    }

    /** Returns the listener of a connection that was dialed; the caller must start it. Thread-safe. */
    RecordingListener listener(Connection connection) {
        RecordingListener listener = new RecordingListener(connection);
        dialed.add(listener);
        return listener;
    }

    /** Connects one transport to the other. */
    public Ends connect(Transport from, Transport to, EndpointAddress anyAddress) {
        ConnectionAcceptor acceptor = new ConnectionAcceptor();
        TransportServer server = listen(to, anyAddress, acceptor);
        RecordingListener dialer = dial(from, server.address(), null);
        return new Ends(dialer, acceptor.next());
    }

    @Override
    public void close() {
        contexts.keySet().forEach(Transport::closeAsync);
        for (Transport transport : contexts.keySet()) {
            Eventually.get(transport.whenClosed(), "closing " + transport);
        }
        threads.untilGone();
        List<RecordingListener> all = new ArrayList<>(dialed);
        acceptors.forEach(acceptor -> all.addAll(acceptor.all()));
        for (RecordingListener listener : all) {
            assertThat(listener.faults()).as("calls against the contract").isEmpty();
        }
    }
}
