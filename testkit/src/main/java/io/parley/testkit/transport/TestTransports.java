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
import org.jspecify.annotations.Nullable;

/**
 * Opens transports and connections for a test. At the end it closes them, waits until their threads are gone, and fails if
 * a connection told its listener anything that the contract rules out.
 */
public final class TestTransports implements AutoCloseable {

    private static final int FILLING_FRAME_BYTES = 64 * 1024;
    private static final int FILLING_FRAMES = 512;

    private final TransportProvider provider;
    private final TransportSecurity security;
    private final ThreadWatch threads = new ThreadWatch();
    private final Map<Transport, TransportContext> contexts = new HashMap<>();
    private final List<RecordingListener> dialed = new ArrayList<>();
    private final List<ConnectionAcceptor> acceptings = new ArrayList<>();

    /** A connection between two of the transports. */
    public record Ends(RecordingListener dialer, RecordingListener acceptor) {

        /** Both may send frames of up to that many bytes from now on. */
        public Ends admit(int maxFrameBytes) {
            for (RecordingListener end : List.of(dialer, acceptor)) {
                Eventually.run(
                        end.connection().executor(), () -> end.connection().completeHandshake(maxFrameBytes));
            }
            return this;
        }

        /** The acceptor stops to read, and the dialer queues more than any kernel takes off it. */
        public Ends fillUp() {
            Connection reader = acceptor.connection();
            Connection writer = dialer.connection();
            acceptor.onFrame(frame -> {});
            Eventually.run(reader.executor(), () -> reader.setReading(false));
            byte[] content = new byte[FILLING_FRAME_BYTES];
            Eventually.run(writer.executor(), () -> {
                for (int i = 0; i < FILLING_FRAMES; i++) {
                    writer.write(Unpooled.wrappedBuffer(content), null);
                }
                writer.flush();
            });
            assertThat(Eventually.on(writer.executor(), writer::isWritable)).isFalse();
            return this;
        }
    }

    /** Transports of that provider. */
    public TestTransports(TransportProvider provider, TransportSecurity security) {
        this.provider = provider;
        this.security = security;
    }

    /** A transport of that peer, with the default limits but for handshakes, the first of which load many classes. */
    public Transport open(Identity identity) {
        return open(
                identity,
                TransportLimits.DEFAULTS.toBuilder()
                        .handshakeTimeout(Eventually.DEADLINE)
                        .build());
    }

    /** A transport of that peer. */
    public Transport open(Identity identity, TransportLimits limits) {
        return open(new TransportContext(identity, security, limits, new EndpointMetrics(), Scheduler.system()));
    }

    /** A transport with all its settings. */
    public Transport open(TransportContext context) {
        Transport transport = provider.create(context);
        contexts.put(transport, context);
        return transport;
    }

    /** What a transport was opened with. */
    public TransportContext context(Transport transport) {
        return Objects.requireNonNull(contexts.get(transport));
    }

    /** Listens; the connections go to {@code accepting}. */
    public TransportServer listen(Transport transport, EndpointAddress address, ConnectionAcceptor accepting) {
        acceptings.add(accepting);
        return Eventually.get(transport.listen(address, accepting), "listening on " + address);
    }

    /** Dials, and starts a listener on the connection. */
    public RecordingListener dial(Transport transport, EndpointAddress address, @Nullable PeerId expected) {
        return dialUnstarted(transport, address, expected).start();
    }

    /** Dials; the listener is still to be started. */
    public RecordingListener dialUnstarted(Transport transport, EndpointAddress address, @Nullable PeerId expected) {
        Connection connection = Eventually.get(transport.dial(address, expected), "dialing " + address);
        RecordingListener listener = new RecordingListener(connection);
        dialed.add(listener);
        return listener;
    }

    /** Connects from one to the other. */
    public Ends connect(Transport from, Transport to, EndpointAddress anyAddress) {
        ConnectionAcceptor accepting = new ConnectionAcceptor();
        TransportServer listener = listen(to, anyAddress, accepting);
        RecordingListener dialer = dial(from, listener.address(), null);
        return new Ends(dialer, accepting.next());
    }

    @Override
    public void close() {
        contexts.keySet().forEach(Transport::closeAsync);
        for (Transport transport : contexts.keySet()) {
            Eventually.get(transport.whenClosed(), "closing " + transport);
        }
        threads.untilGone();
        List<RecordingListener> all = new ArrayList<>(dialed);
        acceptings.forEach(accepting -> all.addAll(accepting.all()));
        for (RecordingListener listener : all) {
            assertThat(listener.faults()).as("calls against the contract").isEmpty();
        }
    }
}
