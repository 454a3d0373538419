package io.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslProvider;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.testkit.ClockScheduler;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualClock;
import io.parley.testkit.transport.ConnectionAcceptor;
import io.parley.testkit.transport.RecordingListener;
import io.parley.testkit.transport.TestTransports;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportSecurity;
import io.parley.transport.tls.TlsHandlerFactory;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Certificates are valid for 24 hours and are renewed after 12. */
class CredentialRenewalTest {

    private static final Identity ALICE = Identity.generate();
    private static final Identity BOB = Identity.generate();
    private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

    private final ManualClock alicesClock = new ManualClock(START);
    private final ManualClock bobsClock = new ManualClock(START);
    private final ConnectionAcceptor acceptor = new ConnectionAcceptor();
    private TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.TLS);
    private Transport alice;
    private Transport bob;
    private EndpointAddress address;

    @BeforeEach
    void open() {
        transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.TLS);
        alice = transports.open(context(ALICE, alicesClock));
        bob = transports.open(context(BOB, bobsClock));
        address = transports
                .listen(bob, EndpointAddress.parse("tcp://127.0.0.1:0"), acceptor)
                .address();
    }

    @AfterEach
    void close() {
        transports.close();
    }

    private static TransportContext context(Identity identity, Clock clock) {
        return new TransportContext(
                identity,
                TransportSecurity.TLS,
                TestTransports.PATIENT_LIMITS,
                new EndpointMetrics(),
                new ClockScheduler(clock));
    }

    private RecordingListener dial() {
        return transports.dial(alice, address, BOB.peerId());
    }

    private void assertRejected(String reason) {
        Throwable failure = Eventually.failure(alice.dial(address, BOB.peerId()), "dialing with a wrong clock");
        assertThat(failure)
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IDENTITY_REFUSED))
                .hasMessageContaining(reason);
    }

    private void assertCarriesFrames(RecordingListener dialer, RecordingListener accepted) {
        int before = accepted.frameCount();
        Eventually.run(dialer.connection().executor(), () -> {
            dialer.connection()
                    .write(
                            dialer.connection()
                                    .allocator()
                                    .buffer()
                                    .writeBytes("payload".getBytes(StandardCharsets.US_ASCII)),
                            null);
            dialer.connection().flush();
        });
        Eventually.until(() -> "no frame was received", () -> accepted.frameCount() == before + 1);
    }

    @Test
    void clocksAfterTheExpiration_newConnectionsUseNewCertificates_oldOnesStayOpen() {
        RecordingListener old = dial();
        RecordingListener oldAccepted = acceptor.next();
        alicesClock.advance(Duration.ofHours(30));
        bobsClock.advance(Duration.ofHours(30));

        RecordingListener fresh = dial();
        assertCarriesFrames(fresh, acceptor.next());
        assertCarriesFrames(old, oldAccepted);
    }

    @Test
    void certificate_isKeptForTheFirstHalf_andRenewedInTheSecond() {
        dial();
        bobsClock.advance(Duration.ofHours(11));
        dial(); // The clock of the dialer has not moved, so it accepts only the old certificate.

        bobsClock.advance(Duration.ofHours(2));
        assertRejected("not valid before 2026-11-22T00:00:00Z"); // a new one, backdated by an hour
        alicesClock.advance(Duration.ofHours(13));
        dial();
    }

    /** The clock is read on the thread that verifies. */
    @Test
    void chainOfADialer_isVerifiedOffTheEventLoops() {
        Set<String> readers = ConcurrentHashMap.newKeySet();
        InstantSource noted = () -> {
            readers.add(Thread.currentThread().getName());
            return START;
        };
        Transport carol = transports.open(context(Identity.generate(), noted.withZone(ZoneOffset.UTC)));
        ConnectionAcceptor accepting = new ConnectionAcceptor();
        EndpointAddress carols = transports
                .listen(carol, EndpointAddress.parse("tcp://127.0.0.1:0"), accepting)
                .address();
        transports.dial(bob, carols, null);
        accepting.next();
        assertThat(readers).anyMatch(name -> name.startsWith("parley-certificates-"));
    }

    /** Otherwise no connection succeeds until the clock has reached the time of the issue again. */
    @Test
    void clockThatIsSetBack_newConnectionsUseNewCertificates() {
        Duration ahead = Duration.ofDays(3);
        alicesClock.advance(ahead);
        bobsClock.advance(ahead);
        dial();
        acceptor.next();
        alicesClock.advance(ahead.negated());
        bobsClock.advance(ahead.negated());
        assertCarriesFrames(dial(), acceptor.next());
    }

    /** Otherwise the factory would not notice that the certificate is valid in the future only. */
    @Test
    void clockThatIsAheadForAMoment_certificateIsOfOneTime() {
        AtomicInteger readings = new AtomicInteger();
        InstantSource ahead = () -> readings.incrementAndGet() == 2 ? START.plus(Duration.ofDays(3)) : START;
        Transport carol = transports.open(context(Identity.generate(), ahead.withZone(ZoneOffset.UTC)));
        EndpointAddress carols = transports
                .listen(carol, EndpointAddress.parse("tcp://127.0.0.1:0"), acceptor)
                .address();
        Eventually.get(
                alice.dial(carols, null).handle((connection, failure) -> true),
                "a dial, which may be refused because the clock is ahead");
        transports.dial(alice, carols, null);
    }

    @Test
    void clockAfterTheExpiration_certificateOfTheOtherIsRejected() {
        dial();
        // The certificate of Bob has expired by the clock of Alice.
        RecordingListener first = acceptor.next();
        alicesClock.advance(Duration.ofHours(25));
        assertRejected("expired at 2026-11-22T12:00:00Z; the local time is 2026-11-22T13:00:00Z");
        Eventually.until(
                () -> "Bob has not counted the failed handshake",
                () -> transports.context(bob).metrics().get(Counter.HANDSHAKES_FAILED) == 1);
        assertThat(first.closed()).as("the connection from before").isNotDone();
    }

    @Test
    void newHandler_afterClose_fails() throws Exception {
        for (SslProvider provider : new SslProvider[] {SslProvider.JDK, TlsHandlerFactory.bestProvider()}) {
            TlsHandlerFactory factory = new TlsHandlerFactory(context(ALICE, alicesClock), () -> provider);
            factory.preload();
            factory.close();
            factory.preload(); // It may run on another thread after close. A context created now would leak, which the
            // leak check detects.
            assertThatThrownBy(() -> factory.addHandlers(new EmbeddedChannel(), true, peer -> {}, reason -> {}))
                    .isInstanceOf(SSLException.class)
                    .hasMessageContaining("closed");
        }
    }
}
