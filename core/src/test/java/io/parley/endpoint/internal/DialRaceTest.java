package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.assertFails;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.parley.codec.internal.BinaryMessageCodec;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.context.DialLimiter;
import io.parley.endpoint.internal.frame.FrameReader;
import io.parley.endpoint.internal.frame.FrameVisitor;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.link.Link;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualEventLoops;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.TestSeed;
import io.parley.testkit.transport.StuckTransport;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Dials to several addresses of one peer. All runs in manual time, on the thread of the test. */
class DialRaceTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration DELAY = Duration.ofMillis(250);
    private static final Duration NANOSECOND = Duration.ofNanos(1);
    private static final EndpointAddress ALICE = EndpointAddress.parse("mem://alice");
    private static final List<Identity> IDENTITIES = EndpointFixture.identities(2);

    /** A dial to a {@code stuck://} address, whose result the test determines. */
    private record Dial(String host, CompletableFuture<Connection> result) {

        void fail() {
            result.completeExceptionally(ErrorCode.UNREACHABLE.exception("on purpose"));
        }
    }

    private final List<Dial> dials = new ArrayList<>();
    private boolean failing;
    private final List<Transport> transports = new ArrayList<>();
    private final List<Connection> connections = new ArrayList<>();
    private final ManualScheduler scheduler;
    private final InMemoryNetwork network;
    private final PeerEndpoint alice;
    private final PeerEndpoint bob;

    DialRaceTest() {
        scheduler = new ManualScheduler(new ManualClock(START), TestSeed.random("the order of tasks"));
        network = new InMemoryNetwork(new ManualEventLoops(scheduler, 2));
        alice = startEndpoint(IDENTITIES.get(0));
        StuckTransport stuck = new StuckTransport();
        stuck.onDial(address -> {
            Dial dial = new Dial(address.host(), new CompletableFuture<>());
            dials.add(dial);
            if (failing) {
                dial.fail();
            }
            return dial.result();
        });
        bob = startEndpoint(IDENTITIES.get(1), stuck);
        alice.listen(ALICE).join();
    }

    private PeerEndpoint startEndpoint(Identity identity, Transport... furtherTransports) {
        return EndpointFixture.startInManualTime(
                identity, EndpointLimits.DEFAULTS, new BinaryMessageCodec(), network, scheduler, furtherTransports);
    }

    @AfterEach
    void closeAll() {
        transports.forEach(Transport::closeAsync); // whose connections the endpoints do not end
        scheduler.runReady();
        bob.closeAsync();
        alice.closeAsync();
        scheduler.advance(Duration.ofMinutes(1));
        for (PeerEndpoint endpoint : List.of(alice, bob)) {
            assertThat(endpoint.whenClosed()).isCompleted();
            assertNothingLeft(endpoint);
        }
        assertThat(connections).allMatch(connection -> connection.whenClosed().isDone());
        assertThat(dials).allMatch(dial -> dial.result().isDone(), "no dial is left");
        assertThat(scheduler.pending()).as("timers").isZero();
    }

    private static void assertNothingLeft(PeerEndpoint endpoint) {
        assertThat(endpoint.associationCount())
                .as("associations of %s", endpoint)
                .isZero();
        assertThat(endpoint.reservedBytes()).isZero();
        assertThat(open(endpoint)).isZero();
    }

    /** Adds the addresses of alice, which are {@code stuck://} ones if they have no scheme, and connects bob to her. */
    private CompletableFuture<Void> connect(String... addresses) {
        bob.addPeerAddress(new PeerAddress(
                alice.peerId(),
                List.of(addresses).stream()
                        .map(text -> EndpointAddress.parse(text.contains(":") ? text : "stuck://" + text))
                        .toList()));
        CompletableFuture<Void> connecting = bob.connect(alice.peerId());
        scheduler.runReady();
        return connecting;
    }

    private List<String> dialed() {
        return dials.stream().map(Dial::host).toList();
    }

    private Dial dial(int index) {
        return dials.get(index);
    }

    /** Returns a transport without an endpoint. */
    private Transport transport(Identity identity) {
        Transport transport = network.transportProvider()
                .create(new TransportContext(
                        identity, TransportSecurity.TLS, TransportLimits.DEFAULTS, new EndpointMetrics(), scheduler));
        transports.add(transport);
        return transport;
    }

    /** Returns an open connection from bob to alice, which can become the result of a dial. */
    private Connection connectionToAlice() {
        CompletableFuture<Connection> dialed = transport(IDENTITIES.get(1)).dial(ALICE, alice.peerId());
        scheduler.runReady();
        connections.add(dialed.join());
        return dialed.join();
    }

    private static long open(PeerEndpoint endpoint) {
        return count(endpoint, Counter.CONNECTIONS_OPENED) - count(endpoint, Counter.CONNECTIONS_CLOSED);
    }

    private void assertOneConnection(PeerEndpoint one, PeerEndpoint other) {
        Link link = Objects.requireNonNull(EndpointFixture.activeLink(one, other));
        Link otherLink = Objects.requireNonNull(EndpointFixture.activeLink(other, one));
        assertThat(link.connectionId()).isEqualTo(otherLink.connectionId());
        assertThat(open(one)).isEqualTo(1);
        assertThat(open(other)).isEqualTo(1);
    }

    @Test
    void silentAddress_delaysTheNextOneFor250Milliseconds() {
        CompletableFuture<Void> connecting = connect("silent", "mem://alice");
        scheduler.advance(DELAY.minus(NANOSECOND));
        assertThat(open(alice)).isZero();
        scheduler.advance(NANOSECOND);
        assertThat(connecting).isCompleted();
        assertThat(dial(0).result()).isCancelled();
        assertOneConnection(alice, bob);
        scheduler.advance(Duration.ofSeconds(10));
        assertThat(dialed()).containsExactly("silent");
    }

    @Test
    void silentAddress_thatRespondsAfterTheSecondDial_isUsed_andTheSecondDialIsCancelled() {
        CompletableFuture<Void> connecting = connect("slow", "silent", "third");
        scheduler.advance(DELAY);
        dial(0).result().complete(connectionToAlice());
        scheduler.advance(Duration.ofSeconds(1));
        assertThat(connecting).isCompleted();
        assertThat(dialed()).containsExactly("slow", "silent");
        assertThat(dial(1).result()).isCancelled();
        assertOneConnection(alice, bob);
    }

    @Test
    void dialThatFails_startsTheNextOneAtOnce() {
        CompletableFuture<Void> connecting = connect("1", "2", "3", "mem://alice");
        dial(0).fail();
        scheduler.runReady();
        assertThat(dialed()).containsExactly("1", "2");
        scheduler.advance(DELAY.minus(NANOSECOND)); // since the start of the second dial
        assertThat(dialed()).containsExactly("1", "2");
        scheduler.advance(NANOSECOND);
        assertThat(dialed()).containsExactly("1", "2", "3");
        dial(1).fail(); // not the latest one
        scheduler.runReady();
        assertThat(connecting).isCompleted();
        assertOneConnection(alice, bob);
    }

    @Test
    void dialsThatFail_areAllInTheFailure_andTheLastOneEndsTheRound() {
        CompletableFuture<Void> connecting = connect("1", "2", "3");
        scheduler.advance(DELAY.multipliedBy(2));
        dial(1).fail();
        dial(2).fail();
        scheduler.advance(DELAY);
        assertThat(connecting).isNotDone();
        dial(0).fail();
        scheduler.runReady();
        assertFails(connecting, ErrorCode.UNREACHABLE, "stuck://1", "stuck://2", "stuck://3", "on purpose");
        assertThat(dialed()).containsExactly("1", "2", "3");
    }

    @Test
    void connectionsAtTheSameTime_theSecondOneIsClosed() {
        CompletableFuture<Void> connecting = connect("1", "2");
        scheduler.advance(DELAY);
        Connection first = connectionToAlice();
        Connection second = connectionToAlice();
        dial(1).result().complete(first);
        dial(0).result().complete(second);
        scheduler.runReady();
        assertThat(connecting).isCompleted();
        assertThat(second.whenClosed()).isCompleted();
        assertThat(first.whenClosed()).isNotDone();
        assertOneConnection(alice, bob);
    }

    @Test
    void dialsAtTheSameTime_areFour_andAFailureStartsTheNextOne() {
        CompletableFuture<Void> connecting = connect("1", "2", "3", "4", "6");
        for (int i = 1; i <= 4; i++) {
            assertThat(dialed()).hasSize(i);
            scheduler.advance(DELAY);
        }
        scheduler.advance(Duration.ofMinutes(1));
        bob.addPeerAddress(PeerAddress.of(alice.peerId(), EndpointAddress.parse("stuck://5")));
        scheduler.runReady();
        assertThat(dialed()).containsExactly("1", "2", "3", "4");
        dial(2).fail();
        scheduler.runReady();
        assertThat(dialed()).containsExactly("1", "2", "3", "4", "5");
        scheduler.advance(Duration.ofMinutes(1));
        assertThat(dialed()).hasSize(5);
        dial(3).result().complete(connectionToAlice());
        scheduler.runReady();
        assertThat(connecting).isCompleted();
        assertThat(dials).filteredOn(dial -> dial.result().isCancelled()).hasSize(3);
    }

    @Test
    void rejectedHello_leadsToTheOtherAddresses_alsoThoseThatWereAbandoned() {
        RejectingPeer rejecting = new RejectingPeer(WireStatus.of(ErrorCode.BUSY, "on purpose"));
        CompletableFuture<Void> connecting =
                connect("silent", rejecting.address().toString(), "third");
        scheduler.advance(DELAY);
        assertThat(rejecting.hellos).hasSize(1);
        assertThat(dialed()).as("the one that was not tried comes first").containsExactly("silent", "third");
        assertThat(dial(0).result()).isCancelled();
        scheduler.advance(DELAY);
        assertThat(dialed()).containsExactly("silent", "third", "silent");
        dial(2).result().complete(connectionToAlice());
        scheduler.runReady();
        assertThat(connecting).isCompleted();
        assertThat(dial(1).result()).isCancelled();
        assertThat(rejecting.hellos).hasSize(1);
        assertOneConnection(alice, bob);
    }

    /** Otherwise a peer could make this peer dial the same silent address without end. */
    @Test
    void addressesThatAreAbandonedAgainAndAgain_doNotExtendTheRound() {
        List<String> addresses = new ArrayList<>(List.of("1", "2", "3"));
        RejectingPeer rejecting = new RejectingPeer(WireStatus.of(ErrorCode.BUSY, "on purpose"));
        for (int i = addresses.size(); i < PeerAddress.MAX_ADDRESSES; i++) {
            addresses.add("slow" + i);
        }
        CompletableFuture<Void> connecting = connect(addresses.toArray(String[]::new));
        for (int i = 0; i < 10 * PeerAddress.MAX_ADDRESSES; i++) {
            scheduler.advance(DELAY);
            dials.stream()
                    .filter(dial ->
                            dial.host().startsWith("slow") && !dial.result().isDone())
                    .findFirst()
                    .ifPresent(dial -> dial.result().complete(rejecting.connection()));
        }
        dials.forEach(Dial::fail);
        scheduler.runReady();
        assertFails(connecting, ErrorCode.UNREACHABLE, "stuck://slow3");
        assertThat(dials).hasSize(2 * PeerAddress.MAX_ADDRESSES);
    }

    @Test
    void helloInProgress_isTheOnlyOne_andNoAddressIsDialedMeanwhile() {
        RejectingPeer silent = new RejectingPeer(null);
        CompletableFuture<Void> connecting = connect("1", silent.address().toString(), "3");
        scheduler.advance(DELAY);
        assertThat(silent.hellos).hasSize(1);
        bob.addPeerAddress(alice.peerAddress());
        scheduler.advance(Duration.ofSeconds(1));
        assertThat(dialed()).containsExactly("1");
        assertThat(open(alice)).isZero();
        scheduler.advance(TransportLimits.DEFAULTS.handshakeTimeout());
        assertThat(connecting).isCompleted();
        assertThat(silent.hellos).hasSize(1);
    }

    /** The timer may have passed its task to the executor when the connection is there. */
    @RepeatedTest(30)
    void connectionAtTheMomentOfTheNextDial_endsTheRace() {
        RejectingPeer silent = new RejectingPeer(null);
        Connection connection = silent.connection();
        scheduler.schedule(DELAY, () -> dial(0).result().complete(connection));
        CompletableFuture<Void> connecting = connect("1", "2");
        scheduler.advance(DELAY);
        assertThat(silent.hellos).hasSize(1);
        assertThat(dials).allMatch(dial -> dial.result().isDone(), "no dial beside the HELLO");
        assertThat(connecting).isNotDone();
    }

    @Test
    void addressAdded_whileDialsAreInProgress_isDialedAfterTheDelay() {
        CompletableFuture<Void> connecting = connect("1");
        scheduler.advance(DELAY.minus(NANOSECOND));
        bob.addPeerAddress(alice.peerAddress());
        bob.addPeerAddress(new PeerAddress(alice.peerId(), List.of(EndpointAddress.parse("stuck://0"), ALICE)));
        scheduler.runReady();
        assertThat(connecting).isNotDone();
        assertThat(scheduler.pendingWithin(DELAY)).as("timers").isEqualTo(1);
        bob.addPeerAddress(alice.peerAddress()); // again in front
        scheduler.advance(NANOSECOND);
        assertThat(connecting).isCompleted();
        assertThat(dial(0).result()).isCancelled();
    }

    @Test
    void addressAdded_whenTheDelayIsOver_isDialedAtOnce() {
        CompletableFuture<Void> connecting = connect("1");
        scheduler.advance(Duration.ofSeconds(2));
        bob.addPeerAddress(alice.peerAddress());
        scheduler.runReady();
        assertThat(connecting).isCompleted();
        assertThat(dial(0).result()).isCancelled();
    }

    @Test
    void offeredConnection_endsTheRace() {
        CompletableFuture<Void> connecting = connect("1", "2", "3");
        scheduler.advance(DELAY);
        CompletableFuture<?> byAddress = bob.connect(ALICE);
        scheduler.runReady();
        assertThat(connecting).isCompleted();
        assertThat(byAddress).isCompleted();
        assertThat(dials).hasSize(2).allMatch(dial -> dial.result().isCancelled());
        scheduler.advance(Duration.ofSeconds(1));
        assertThat(dials).hasSize(2);
        assertOneConnection(alice, bob);
    }

    @Test
    void connectionOfTheRemotePeer_endsTheRace() {
        CompletableFuture<Void> connecting = connect("1", "2", "3");
        scheduler.advance(DELAY);
        bob.listen(EndpointAddress.parse("mem://bob")).join();
        alice.addPeerAddress(bob.peerAddress());
        CompletableFuture<Void> byAlice = alice.connect(bob.peerId());
        scheduler.runReady();
        assertThat(byAlice).isCompleted();
        assertThat(connecting).isCompleted();
        assertThat(dials).hasSize(2).allMatch(dial -> dial.result().isCancelled());
        scheduler.advance(Duration.ofSeconds(1));
        assertThat(dials).hasSize(2);
        assertOneConnection(alice, bob);
    }

    @Test
    void closedEndpoint_cancelsTheDials() {
        CompletableFuture<Void> connecting = connect("1", "2", "3");
        scheduler.advance(DELAY);
        bob.closeAsync();
        scheduler.advance(EndpointLimits.DEFAULTS.closeTimeout());
        assertFails(connecting, ErrorCode.CLOSED);
        assertThat(dials).isNotEmpty().allMatch(dial -> dial.result().isCancelled());
    }

    @Test
    void rejectionAfterTheConnectionOfTheRemotePeer_startsNoDial() {
        RejectingPeer late = new RejectingPeer(null);
        CompletableFuture<Void> connecting = connect("1");
        dial(0).result().complete(late.connection());
        scheduler.runReady();
        assertThat(late.hellos).hasSize(1);
        bob.listen(EndpointAddress.parse("mem://bob")).join();
        alice.addPeerAddress(bob.peerAddress());
        CompletableFuture<Void> byAlice = alice.connect(bob.peerId());
        scheduler.runReady();
        assertThat(byAlice).isCompleted();
        assertThat(connecting).isCompleted();
        late.reject(WireStatus.duplicateOf(7));
        scheduler.runReady();
        assertThat(dials).hasSize(1);
        assertOneConnection(alice, bob);
    }

    /** Completes the last dial, loses its connection, and connects again. */
    private CompletableFuture<Void> loseConnection(CompletableFuture<Void> first) {
        dial(dials.size() - 1).result().complete(connectionToAlice());
        scheduler.runReady();
        assertThat(first).isCompleted();
        bob.messenger(alice.peerId(), EndpointFixture.SERVICE); // keeps the association in use
        Objects.requireNonNull(EndpointFixture.activeLink(bob, alice)).abort(null);
        scheduler.runReady();
        CompletableFuture<Void> connecting = bob.connect(alice.peerId());
        scheduler.runReady();
        return connecting;
    }

    @Test
    void nextRound_dialsAllAddressesInTheirOrderAgain() {
        RejectingPeer rejecting = new RejectingPeer(WireStatus.of(ErrorCode.BUSY, "on purpose"));
        List<String> addresses = IntStream.rangeClosed(1, PeerAddress.MAX_ADDRESSES)
                .mapToObj(String::valueOf)
                .toList();
        CompletableFuture<Void> connecting = loseConnection(connect(addresses.toArray(String[]::new)));
        scheduler.advance(DELAY);
        failing = true;
        dial(2).result().complete(rejecting.connection());
        scheduler.advance(Duration.ofSeconds(5));
        assertThat(connecting).isNotDone();
        List<String> expected = new ArrayList<>(addresses);
        expected.add("1"); // which was abandoned
        expected.addAll(addresses);
        expected.addAll(addresses);
        assertThat(dialed().subList(1, dials.size())).startsWith(expected.toArray(String[]::new));
    }

    @Test
    void newAddressesWithoutEnd_doNotStartRoundsWithoutEnd() {
        CompletableFuture<Void> connecting = loseConnection(connect("1"));
        failing = true;
        dial(dials.size() - 1).fail();
        scheduler.runReady();
        int before = dials.size();
        for (int i = 0; i < 10 * PeerAddress.MAX_ADDRESSES; i++) {
            bob.addPeerAddress(PeerAddress.of(alice.peerId(), EndpointAddress.parse("stuck://new" + i)));
            scheduler.runReady();
        }
        assertThat(dialed()).contains("new0", "new1", "new2");
        assertThat(dials.size() - before).isLessThanOrEqualTo(PeerAddress.MAX_ADDRESSES * PeerAddress.MAX_ADDRESSES);
        int early = dials.size();
        scheduler.advance(Duration.ofSeconds(5));
        assertThat(dials.size() - early).as("the next round, in its time").isPositive();
        CompletableFuture<PeerId> byAddress = bob.connect(ALICE);
        scheduler.runReady();
        assertThat(byAddress).isCompleted();
        assertThat(connecting).isCompleted();
    }

    /** A round whose last address must not be dialed ends with the last dial, and its timer with it. */
    @Test
    void addressThatIsNotPermitted_leavesNoTimer() {
        EndpointAddress claimed = EndpointAddress.parse("stuck://claimed");
        for (int i = 0; i < DialLimiter.MAX_PEERS; i++) {
            PeerId invented = Identity.generate().peerId();
            bob.addPeerAddress(PeerAddress.of(invented, claimed));
            bob.connect(invented);
            scheduler.runReady();
            dial(i).fail();
        }
        CompletableFuture<Void> first = connect("1", "claimed");
        CompletableFuture<Void> connecting = loseConnection(first);
        dial(dials.size() - 1).fail();
        scheduler.runReady();
        assertThat(connecting).isNotDone();
        assertThat(dialed()).endsWith("1", "1").filteredOn("claimed"::equals).hasSize(DialLimiter.MAX_PEERS);
        assertThat(scheduler.pendingWithin(DELAY)).as("that of the next round").isEqualTo(1);
    }

    /** The remote peer has a connection that this peer does not know, and the address at which it was found becomes silent. */
    @Test
    void lostConnection_isReportedAtEachFurtherAddress() {
        RejectingPeer duplicate = new RejectingPeer(WireStatus.duplicateOf(7));
        CompletableFuture<Void> connecting = connect("1", "2");
        dial(0).result().complete(duplicate.connection());
        scheduler.runReady();
        assertThat(dialed()).as("again at once").containsExactly("1", "1");
        scheduler.advance(DELAY);
        assertThat(dialed()).containsExactly("1", "1", "2");
        dial(2).result().complete(duplicate.connection());
        scheduler.runReady();
        assertThat(duplicate.hellos).extracting(Hello::lost).startsWith(OptionalLong.empty(), OptionalLong.of(7));
        Dial last = dial(dials.size() - 1);
        last.result().complete(connectionToAlice());
        scheduler.runReady();
        assertThat(connecting).isCompleted();
    }

    /** Both peers have two addresses each, and their dials take random times. */
    @Test
    void simultaneousDials_toTwoAddressesEach_leaveOneConnection() {
        Random seeds = TestSeed.random("simultaneous dials to two addresses");
        int bothDialed = 0;
        for (int i = 0; i < 200; i++) {
            long seed = seeds.nextLong();
            SimultaneousRun run = new SimultaneousRun(new Random(seed));
            run.run(seed);
            bothDialed += run.addressesDialed > 3 ? 1 : 0;
        }
        assertThat(bothDialed)
                .as("runs in which both peers dialed both addresses")
                .isGreaterThan(20);
    }

    /** Two endpoints with two addresses each, which the other one reaches after a random time. */
    private static final class SimultaneousRun {

        private static final int MAX_DELAY_MILLIS = 400;

        private final Random random;
        private final ManualScheduler scheduler;
        private final InMemoryNetwork network;
        private final List<PeerEndpoint> endpoints = new ArrayList<>();
        private int addressesDialed;

        SimultaneousRun(Random random) {
            this.random = random;
            this.scheduler = new ManualScheduler(new ManualClock(START), random);
            this.network =
                    new InMemoryNetwork(new ManualEventLoops(scheduler, 3), Duration.ofMillis(random.nextInt(50)));
            for (int i = 0; i < 2; i++) {
                Identity identity = IDENTITIES.get(i);
                StuckTransport slow = new StuckTransport();
                Transport memory = network.transportProvider()
                        .create(new TransportContext(
                                identity,
                                TransportSecurity.TLS,
                                TransportLimits.DEFAULTS,
                                new EndpointMetrics(),
                                scheduler));
                EndpointAddress remote = EndpointAddress.parse("mem://peer" + (1 - i));
                slow.onDial(address -> dialLater(memory, remote));
                PeerEndpoint endpoint = EndpointFixture.startInManualTime(
                        identity, EndpointLimits.DEFAULTS, new BinaryMessageCodec(), network, scheduler, slow);
                endpoint.listen(EndpointAddress.parse("mem://peer" + i)).join();
                endpoints.add(endpoint);
            }
            for (int i = 0; i < 2; i++) {
                endpoints
                        .get(i)
                        .addPeerAddress(EndpointFixture.at(endpoints.get(1 - i), "stuck://first", "stuck://second"));
            }
        }

        /** Dials after a time; a cancelled dial may lead to a connection nevertheless, which is closed then. */
        private CompletableFuture<Connection> dialLater(Transport memory, EndpointAddress remote) {
            addressesDialed++;
            CompletableFuture<Connection> result = new CompletableFuture<>();
            scheduler.schedule(
                    randomDelay(),
                    () -> memory.dial(remote, null).whenComplete((connection, failure) -> {
                        if (!result.complete(connection)) {
                            connection.abort(null);
                        }
                    }));
            return result;
        }

        private Duration randomDelay() {
            return Duration.ofMillis(random.nextInt(MAX_DELAY_MILLIS));
        }

        void run(long seed) {
            List<CompletableFuture<Void>> connecting = new ArrayList<>();
            for (PeerEndpoint endpoint : endpoints) {
                PeerEndpoint other = endpoints.get(endpoint == endpoints.get(0) ? 1 : 0);
                connecting.add(endpoint.connect(other.peerId()));
                scheduler.advance(Duration.ofMillis(random.nextInt(50)));
            }
            scheduler.advance(Duration.ofSeconds(5));
            assertThat(connecting).as("seed %d", seed).allMatch(CompletableFuture::isDone);
            connecting.forEach(CompletableFuture::join);
            PeerEndpoint one = endpoints.get(0);
            PeerEndpoint other = endpoints.get(1);
            Link link = Objects.requireNonNull(EndpointFixture.activeLink(one, other));
            Link otherLink = Objects.requireNonNull(EndpointFixture.activeLink(other, one));
            assertThat(link.connectionId()).as("seed %d", seed).isEqualTo(otherLink.connectionId());
            for (PeerEndpoint endpoint : endpoints) {
                assertThat(open(endpoint)).as("seed %d", seed).isEqualTo(1);
                assertThat(count(endpoint, Counter.CONNECTIONS_DROPPED)).isZero();
                endpoint.closeAsync();
            }
            scheduler.advance(Duration.ofMinutes(1));
            endpoints.forEach(DialRaceTest::assertNothingLeft);
        }
    }

    /** Alice without an endpoint: responds to each HELLO with a rejection, or not at all. */
    private final class RejectingPeer {

        private final List<Hello> hellos = new ArrayList<>();
        private final List<Connection> withHello = new ArrayList<>();
        private final @Nullable WireStatus rejection;
        private final EndpointAddress address;

        RejectingPeer(@Nullable WireStatus rejection) {
            this.rejection = rejection;
            this.address = transport(IDENTITIES.get(0))
                    .listen(EndpointAddress.parse("mem://any"), this::accept)
                    .join()
                    .address();
        }

        EndpointAddress address() {
            return address;
        }

        /** Returns an open connection from bob, which can become the result of a dial. */
        Connection connection() {
            CompletableFuture<Connection> dialed = transport(IDENTITIES.get(1)).dial(address, null);
            scheduler.runReady();
            connections.add(dialed.join());
            return dialed.join();
        }

        /** Rejects the last HELLO. */
        void reject(WireStatus status) {
            Connection connection = withHello.get(withHello.size() - 1);
            connection.executor().execute(() -> {
                connection.write(new FrameWriter(connection.allocator()).reject(status), null);
                connection.flush();
            });
        }

        private void accept(Connection connection) {
            connection.start(new RejectingListener(connection));
        }

        private final class RejectingListener implements ConnectionListener, FrameVisitor {

            private final Connection connection;

            RejectingListener(Connection connection) {
                this.connection = connection;
            }

            @Override
            public void onFrame(ByteBuf frame) {
                FrameReader.read(frame, this);
            }

            @Override
            public void onHello(Hello hello) {
                hellos.add(hello);
                withHello.add(connection);
                if (rejection != null) {
                    reject(rejection);
                }
            }

            @Override
            public void onReadComplete() {}

            @Override
            public void onWritable() {}

            @Override
            public void onClosed(@Nullable Throwable cause) {}
        }
    }
}
