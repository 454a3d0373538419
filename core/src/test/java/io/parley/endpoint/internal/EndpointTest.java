package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.SOON;
import static io.parley.endpoint.internal.EndpointFixture.assertFails;
import static io.parley.endpoint.internal.EndpointFixture.at;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.exchangeAddresses;
import static io.parley.endpoint.internal.EndpointFixture.failure;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.link;
import static io.parley.endpoint.internal.EndpointFixture.sendWhenWritable;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.codec.internal.BinaryMessageCodec;
import io.parley.common.AsyncCloseable;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.context.AddressBook;
import io.parley.endpoint.internal.link.Link;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.ManualEventLoops;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.transport.StuckTransport;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** The behavior of endpoints between peers in one JVM. */
class EndpointTest {

    private static final EndpointLimits QUICK = EndpointLimits.DEFAULTS.toBuilder()
            .reconnectTimeout(Duration.ofMillis(300))
            .closeTimeout(Duration.ofMillis(600))
            .build();

    private final EndpointFixture fixture = new EndpointFixture();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    private static Queue<String> collect(PeerEndpoint endpoint, ServiceAddress service) {
        Queue<String> received = new ConcurrentLinkedQueue<>();
        endpoint.listen(service, message -> {
            received.add(message.message().text("text").orElseThrow());
            message.release();
        });
        return received;
    }

    @Test
    void send_reachesTheServiceOfThatNameAndParameter() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        Queue<String> plain = collect(alice, ServiceAddress.of("pipe"));
        Queue<String> one = collect(alice, new ServiceAddress("pipe", "1"));
        Queue<String> two = collect(alice, new ServiceAddress("pipe", "2"));
        join(bob.send(alice.peerId(), new ServiceAddress("pipe", "2"), text("to two")));
        join(bob.send(alice.peerId(), new ServiceAddress("pipe", "1"), text("to one")));
        join(bob.send(alice.peerId(), ServiceAddress.of("pipe"), text("to none")));
        until("all three messages", () -> plain.size() + one.size() + two.size() == 3);
        assertThat(plain).containsExactly("to none");
        assertThat(one).containsExactly("to one");
        assertThat(two).containsExactly("to two");
        assertThat(count(bob, Counter.MESSAGES_SENT)).isEqualTo(3);
        assertThat(count(alice, Counter.MESSAGES_RECEIVED)).isEqualTo(3);
        assertThat(count(alice, Counter.MESSAGE_BYTES_RECEIVED)).isEqualTo(count(bob, Counter.MESSAGE_BYTES_SENT));
    }

    @Test
    void receiver_knowsTheSender_andRespondsOnTheSameConnection() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start(Identity.generate(), EndpointLimits.DEFAULTS); // listens nowhere
        bob.addPeerAddress(alice.peerAddress());
        alice.listen(SERVICE, message -> {
            message.release();
            alice.send(message.from(), SERVICE, text("echo"));
        });
        Queue<String> received = collect(bob, SERVICE);
        join(bob.send(alice.peerId(), SERVICE, text("hello")));
        until("the echo", () -> received.contains("echo"));
        assertThat(count(bob, Counter.CONNECTIONS_OPENED)).isEqualTo(1);
        assertThat(count(alice, Counter.CONNECTIONS_OPENED)).isEqualTo(1);
    }

    @Test
    void resolve_withoutService_fails_andSucceedsWhenItExists() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        assertFails(
                messenger.resolve(),
                ErrorCode.NO_SUCH_SERVICE,
                "service",
                alice.peerId().text());
        assertFails(messenger.send(text("lost")), ErrorCode.NO_SUCH_SERVICE);
        Queue<String> received = collect(alice, SERVICE);
        join(messenger.resolve());
        join(messenger.send(text("found")));
        until("the message", () -> received.contains("found"));
        messenger.close();
    }

    @Test
    void listen_twice_isRefused_andAllowedAfterClose() {
        PeerEndpoint alice = fixture.start();
        AsyncCloseable first = alice.listen(SERVICE, ReceivedMessage::release);
        assertThatThrownBy(() -> alice.listen(SERVICE, ReceivedMessage::release))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_BOUND));
        first.close();
        assertThat(first.isClosing()).isTrue();
        alice.listen(SERVICE, ReceivedMessage::release).close();
    }

    @Test
    void serviceClosed_whileMessagesFlow_failsTheSender_andTheConnectionStaysOpen() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        List<ReceivedMessage> held = new ArrayList<>();
        AsyncCloseable service = alice.listen(SERVICE, message -> {
            synchronized (held) {
                held.add(message);
            }
        });
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            sends.add(sendWhenWritable(messenger, EndpointFixture.bytes(100_000))); // the window holds 3 messages
        }
        until("the window to fill", () -> {
            synchronized (held) {
                return held.size() == 3;
            }
        });
        assertThat(sends.get(9)).isNotDone();
        service.close();
        assertFails(
                sends.get(9), ErrorCode.DISCONNECTED, "service", alice.peerId().text());
        until("all futures to complete", () -> sends.stream().allMatch(CompletableFuture::isDone));
        assertFails(messenger.send(text("after")), ErrorCode.NO_SUCH_SERVICE);
        Queue<String> again = collect(alice, SERVICE);
        join(messenger.send(text("again")));
        until("the message", () -> again.contains("again"));
        assertThat(count(bob, Counter.CONNECTIONS_OPENED)).isEqualTo(1);
        assertThat(alice.reservedBytes()).isGreaterThan(300_000);
        synchronized (held) {
            held.forEach(ReceivedMessage::release);
        }
        messenger.close();
    }

    @Test
    void listenerThatThrows_isCounted_andReceivesTheNextMessage() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        CountDownLatch called = new CountDownLatch(300);
        alice.listen(SERVICE, message -> {
            called.countDown();
            if (called.getCount() % 2 == 0) {
                throw new StackOverflowError("on purpose");
            }
            throw new IllegalStateException("on purpose");
        });
        for (int i = 0; i < 300; i++) { // several windows, so each message must have been released
            join(bob.send(alice.peerId(), SERVICE, EndpointFixture.bytes(100_000)));
        }
        until("all to be delivered", () -> called.getCount() == 0);
        until("all to be counted", () -> count(alice, Counter.LISTENER_FAILURES) == 300);
        assertThat(count(alice, Counter.CONNECTIONS_CLOSED)).isZero();
    }

    @Test
    void unknownPeer_isUnreachable_andLeavesNothingBehind() {
        PeerEndpoint alice = fixture.start();
        PeerId unknown = Identity.generate().peerId();
        assertFails(alice.connect(unknown), ErrorCode.UNREACHABLE, unknown.text(), "no address");
        assertFails(alice.send(unknown, SERVICE, text("hello")), ErrorCode.UNREACHABLE, unknown.text());
        assertFails(alice.ping(unknown), ErrorCode.UNREACHABLE, unknown.text());
        EndpointFixture.assertNothingLeft(alice);
    }

    @Test
    void noTransport_namesTheArtifact() {
        PeerEndpoint alice = fixture.start();
        PeerId unknown = Identity.generate().peerId();
        alice.addPeerAddress(PeerAddress.of(unknown, EndpointAddress.parse("udp://192.0.2.1:1")));
        assertFails(alice.connect(unknown), ErrorCode.NO_TRANSPORT, unknown.text(), "io.parley:parley-transport-udp");
        assertFails(
                alice.listen(EndpointAddress.parse("udp://192.0.2.1:1")),
                ErrorCode.NO_TRANSPORT,
                "io.parley:parley-transport-udp");
    }

    @Test
    void listen_onAnAddressInUse_isRefused() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        EndpointAddress taken = alice.addresses().get(0);
        assertFails(bob.listen(taken), ErrorCode.CANNOT_LISTEN, taken.host());
    }

    @Test
    void unreachableAddresses_areSkipped() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        bob.addPeerAddress(at(
                alice,
                "mem://dead-1",
                "udp://192.0.2.1:1",
                "mem://dead-2",
                alice.addresses().get(0).toString()));
        join(bob.connect(alice.peerId()));
        assertThat(bob.connectedPeers()).containsExactly(alice.peerId());
    }

    @Test
    void allAddressesUnreachable_failsWithEachReason() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        bob.addPeerAddress(at(alice, "mem://dead-1", "mem://dead-2"));
        assertFails(
                bob.connect(alice.peerId()),
                ErrorCode.UNREACHABLE,
                alice.peerId().text()
                        + " is unreachable: mem://dead-1: no peer listens there, mem://dead-2: no peer listens there");
    }

    @Test
    void wrongPeerAtTheAddress_isRejected() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        PeerEndpoint mallory = fixture.start();
        bob.addPeerAddress(at(alice, mallory.addresses().get(0).toString()));
        assertFails(
                bob.connect(alice.peerId()),
                ErrorCode.IDENTITY_REFUSED,
                alice.peerId().text(),
                mallory.peerId().text());
        assertThat(bob.connectedPeers()).isEmpty();
    }

    @Test
    void wrongPeerAtTheAddress_inPlaintext_isRejected() {
        PeerEndpoint mallory = fixture.start(Identity.generate(), EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        join(mallory.listen(EndpointAddress.parse("mem://mallory")));
        PeerEndpoint bob = fixture.start(Identity.generate(), EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        PeerId alice = Identity.generate().peerId();
        bob.addPeerAddress(PeerAddress.of(alice, EndpointAddress.parse("mem://mallory")));
        assertFails(
                bob.connect(alice),
                ErrorCode.IDENTITY_REFUSED,
                alice.text(),
                mallory.peerId().text());
        EndpointFixture.assertNothingLeft(bob);
        EndpointFixture.assertNothingLeft(mallory);
    }

    @Test
    void ping_connects_andMeasures() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        assertThat(join(bob.ping(alice.peerId()))).isPositive();
        until("both peers to be connected", () -> alice.isConnected(bob.peerId()) && bob.isConnected(alice.peerId()));
        assertThat(join(alice.ping(bob.peerId()))).isPositive();
        assertThat(count(alice, Counter.CONNECTIONS_OPENED)).isEqualTo(1);
    }

    @Test
    void ping_whenTheLinkIsLost_fails() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        join(bob.connect(alice.peerId()));
        CountDownLatch stop = new CountDownLatch(1);
        link(alice, bob).context().run(() -> awaitUninterrupted(stop)); // delays the PONG
        CompletableFuture<Duration> ping = bob.ping(alice.peerId());
        link(bob, alice).abort(null);
        stop.countDown();
        assertThat(failure(ping).code()).isIn(ErrorCode.DISCONNECTED, ErrorCode.UNREACHABLE);
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            assertThat(latch.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void remoteAddress_isThatOfTheConnection() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        assertThat(bob.remoteAddress(alice.peerId())).isEmpty();
        join(bob.connect(alice.peerId()));
        assertThat(bob.remoteAddress(alice.peerId())).contains(alice.addresses().get(0));
        until("alice to be connected", () -> alice.remoteAddress(bob.peerId()).isPresent());
        alice.close();
        until("bob to be disconnected", () -> bob.remoteAddress(alice.peerId()).isEmpty());
    }

    @Test
    void connectedPeers_excludesClosedPeers() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        join(bob.connect(alice.peerId()));
        bob.close();
        until("the disconnect", () -> alice.connectedPeers().isEmpty());
        EndpointFixture.assertNothingLeft(alice);
    }

    @Test
    void loopback_sendPingAndConnect() {
        PeerEndpoint alice = fixture.start();
        Queue<String> received = collect(alice, SERVICE);
        join(alice.connect(alice.peerId()));
        assertThat(join(alice.ping(alice.peerId()))).isPositive();
        for (int i = 0; i < 100; i++) {
            join(alice.send(alice.peerId(), SERVICE, text("self " + i)));
        }
        until("all", () -> received.size() == 100);
        assertThat(alice.connectedPeers()).isEmpty();
    }

    @Test
    void loopback_afterALoss_isReconnected() {
        PeerEndpoint alice = fixture.start();
        Queue<String> received = collect(alice, SERVICE);
        PeerMessenger messenger = alice.messenger(alice.peerId(), SERVICE);
        join(messenger.send(text("before")));
        link(alice, alice).abort(null);
        until("the link to be gone", () -> EndpointFixture.activeLink(alice, alice) == null);
        join(messenger.send(text("after")));
        until("both", () -> received.size() == 2);
        messenger.close();
    }

    @Test
    void loopback_whoseDialerStartsAfterTheClose_isNotConnected() {
        ManualScheduler scheduler = new ManualScheduler();
        PeerEndpoint alice = startInManualTime(scheduler);
        CompletableFuture<Void> connecting = alice.connect(alice.peerId());
        alice.closeAsync();
        scheduler.advance(Duration.ofMinutes(1));
        assertFails(connecting, ErrorCode.CLOSED);
        assertThat(count(alice, Counter.CONNECTIONS_OPENED)).isEqualTo(count(alice, Counter.CONNECTIONS_CLOSED));
        assertThat(alice.associationCount()).isZero();
    }

    @Test
    void ping_afterTheEventLoopHasTerminated_fails() {
        ManualScheduler scheduler = new ManualScheduler();
        PeerEndpoint alice = startInManualTime(scheduler);
        alice.connect(alice.peerId());
        scheduler.runReady();
        Link link = Objects.requireNonNull(EndpointFixture.activeLink(alice, alice));
        alice.closeAsync();
        scheduler.advance(Duration.ofMinutes(1));
        CompletableFuture<Duration> ping = link.ping();
        assertThat(ping).isDone();
        assertFails(ping, ErrorCode.DISCONNECTED);
    }

    private static PeerEndpoint startInManualTime(ManualScheduler scheduler) {
        InMemoryNetwork network = new InMemoryNetwork(new ManualEventLoops(scheduler, 1), Duration.ZERO);
        return EndpointFixture.startInManualTime(
                Identity.generate(), EndpointLimits.DEFAULTS, new BinaryMessageCodec(), network, scheduler);
    }

    /** A call that throws must not keep the state of the peer, either. */
    @Test
    void sendWithoutAMessage_leavesNothing() {
        PeerEndpoint alice = fixture.start();
        PeerId stranger = Identity.generate().peerId();
        assertThatThrownBy(() -> alice.send(stranger, SERVICE, null)).isInstanceOf(NullPointerException.class);
        assertThat(alice.associationCount()).isZero();
    }

    @Test
    void addPeerAddress_isBounded_andEvictsTheLeastRecentlyUsed() {
        PeerEndpoint alice = fixture.start(
                EndpointLimits.DEFAULTS.toBuilder().maxKnownPeers(2).build());
        PeerEndpoint bob = fixture.start();
        alice.addPeerAddress(bob.peerAddress());
        alice.addPeerAddress(PeerAddress.of(Identity.generate().peerId(), EndpointAddress.parse("mem://a")));
        join(alice.connect(bob.peerId())); // used, so the other peer is evicted
        alice.addPeerAddress(PeerAddress.of(Identity.generate().peerId(), EndpointAddress.parse("mem://b")));
        String address = bob.addresses().get(0).toString();
        bob.close();
        until("the end of the link", () -> alice.association(bob.peerId()) == null); // a lost peer is dialed for longer
        assertFails(alice.connect(bob.peerId()), ErrorCode.UNREACHABLE, address);
        until("the end of the association", () -> alice.association(bob.peerId()) == null);
        alice.addPeerAddress(PeerAddress.of(Identity.generate().peerId(), EndpointAddress.parse("mem://c")));
        alice.addPeerAddress(PeerAddress.of(Identity.generate().peerId(), EndpointAddress.parse("mem://d")));
        assertFails(alice.connect(bob.peerId()), ErrorCode.UNREACHABLE, "no address");
    }

    @Test
    void addressesOfOnePeer_areBounded_newestFirst() {
        AddressBook book = new AddressBook(10, any -> false);
        PeerId peer = Identity.generate().peerId();
        for (int i = 0; i < 40; i++) {
            book.add(PeerAddress.of(peer, EndpointAddress.parse("mem://a" + i)));
        }
        assertThat(book.find(peer)).hasSize(PeerAddress.MAX_ADDRESSES).startsWith(EndpointAddress.parse("mem://a39"));
    }

    @Test
    void fullAddressBook_keepsThePeersInUse() {
        Set<PeerId> used = new HashSet<>();
        AddressBook book = new AddressBook(10, used::contains);
        PeerId peer = Identity.generate().peerId();
        book.add(PeerAddress.of(peer, EndpointAddress.parse("mem://a")));
        used.add(peer);
        addNewcomers(book);
        assertThat(book.find(peer)).isNotEmpty();
        used.clear();
        addNewcomers(book);
        assertThat(book.find(peer)).isEmpty();
    }

    private static void addNewcomers(AddressBook book) {
        for (int i = 0; i < 20; i++) {
            book.add(PeerAddress.of(Identity.generate().peerId(), EndpointAddress.parse("mem://b" + i)));
        }
    }

    @RepeatedTest(20)
    void close_sendsQueuedMessages() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        Queue<String> received = collect(alice, SERVICE);
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            sends.add(bob.send(alice.peerId(), SERVICE, text("m" + i)));
        }
        bob.close();
        assertThat(sends).allSatisfy(send -> assertThat(send).isCompleted());
        until("all to arrive", () -> received.size() == 1000);
        assertThat(count(alice, Counter.CONNECTIONS_DROPPED)).isZero();
    }

    @Test
    void close_fromSeveralThreads_closesOnce() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        join(bob.connect(alice.peerId()));
        List<CompletableFuture<Void>> closers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            closers.add(CompletableFuture.runAsync(bob::close));
        }
        closers.forEach(EndpointFixture::join);
        assertThat(bob.whenClosed()).isCompleted();
        assertFails(bob.connect(alice.peerId()), ErrorCode.CLOSED);
        assertFails(bob.send(alice.peerId(), SERVICE, text("late")), ErrorCode.CLOSED);
        assertThatThrownBy(() -> bob.messenger(alice.peerId(), SERVICE)).isInstanceOf(ParleyException.class);
        assertThatThrownBy(() -> bob.listen(SERVICE, ReceivedMessage::release)).isInstanceOf(ParleyException.class);
    }

    @Test
    void close_whileManyThreadsSend_completesEveryFuture() {
        PeerEndpoint alice = fixture.start();
        collect(alice, SERVICE);
        for (int round = 0; round < 20; round++) {
            PeerEndpoint bob = fixture.start(QUICK);
            bob.addPeerAddress(alice.peerAddress());
            Queue<CompletableFuture<Void>> sends = new ConcurrentLinkedQueue<>();
            List<CompletableFuture<Void>> senders = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                senders.add(CompletableFuture.runAsync(() -> {
                    while (!bob.isClosing()) {
                        sends.add(bob.send(alice.peerId(), SERVICE, text("x")));
                    }
                }));
            }
            until("some to be sent", () -> sends.size() > 20);
            bob.close();
            senders.forEach(EndpointFixture::join);
            until("all futures to complete", () -> sends.stream().allMatch(CompletableFuture::isDone));
            EndpointFixture.assertNothingLeft(bob);
        }
    }

    @Test
    void close_whileDialing_failsQueuedMessages() {
        StuckTransport stuck = new StuckTransport();
        PeerEndpoint bob = fixture.start(Identity.generate(), QUICK, stuck);
        PeerId far = Identity.generate().peerId();
        bob.addPeerAddress(PeerAddress.of(far, EndpointAddress.parse("stuck://far")));
        CompletableFuture<Void> connecting = bob.connect(far);
        CompletableFuture<Void> sending = bob.send(far, SERVICE, text("never"));
        bob.close();
        assertFails(sending, ErrorCode.CLOSED);
        assertFails(connecting, ErrorCode.CLOSED);
    }

    @Test
    void close_whenTheRemotePeerDoesNotRespond_completes() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start(QUICK);
        exchangeAddresses(alice, bob);
        collect(alice, SERVICE);
        join(bob.connect(alice.peerId()));
        CountDownLatch stop = new CountDownLatch(1);
        link(alice, bob).context().run(() -> awaitUninterrupted(stop));
        try {
            bob.send(alice.peerId(), SERVICE, text("not received"));
            CompletableFuture<Void> closed = bob.closeAsync();
            until("bob to have closed its links", () -> bob.associationCount() == 0);
            stop.countDown(); // the event loops of the network are shared, so they can terminate only now
            join(closed);
        } finally {
            stop.countDown();
        }
    }

    @Test
    void close_fromAListener_doesNotDeadlock() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        alice.listen(SERVICE, message -> {
            message.release();
            alice.close();
        });
        join(bob.send(alice.peerId(), SERVICE, text("close")));
        join(alice.whenClosed());
    }

    @Test
    void closeMessenger_fromItsCallback_sendsTheRest() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        Queue<String> received = collect(alice, SERVICE);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        CompletableFuture<Void> closed = messenger.send(text("first")).thenCompose(sent -> {
            messenger.send(text("second"));
            messenger.close();
            return messenger.closeAsync();
        });
        join(closed);
        until("both", () -> received.size() == 2);
        EndpointFixture.assertFails(messenger.send(text("late")), ErrorCode.CLOSED);
        assertFails(messenger.resolve(), ErrorCode.CLOSED);
        assertFails(messenger.whenWritable(), ErrorCode.CLOSED);
    }

    @Test
    void closeMessenger_withoutCredit_isBounded() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start(QUICK);
        exchangeAddresses(alice, bob);
        Queue<ReceivedMessage> held = new ConcurrentLinkedQueue<>();
        alice.listen(SERVICE, held::add);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        CompletableFuture<Void> last = new CompletableFuture<>();
        for (int i = 0; i < 10; i++) {
            last = sendWhenWritable(messenger, EndpointFixture.bytes(100_000)); // the window holds 3 messages
        }
        until("the window to fill", () -> held.size() == 3);
        join(messenger.closeAsync());
        assertFails(last, ErrorCode.CLOSED);
        until(
                "the channel to end",
                () -> count(alice, Counter.MESSAGES_RECEIVED) > 0
                        && !link(alice, bob).hasInboundChannels());
        assertThat(bob.connectedPeers()).containsExactly(alice.peerId());
        held.forEach(ReceivedMessage::release);
    }

    @Test
    void returnedFutures_areCopies() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        collect(alice, SERVICE);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        join(messenger.send(text("hello")));
        assertThat(messenger.whenClosed().cancel(false)).isTrue();
        assertThat(bob.whenClosed().completeExceptionally(new CancellationException()))
                .isTrue();
        assertThat(messenger.isClosing()).isFalse();
        messenger.close();
        AsyncCloseable service = bob.listen(SERVICE, ReceivedMessage::release);
        assertThat(service.whenClosed().complete(null)).isTrue();
        assertThat(service.isClosing()).isFalse();
        bob.close();
        assertThat(bob.whenClosed()).isCompleted();
    }

    @Test
    void cancelledConnect_leavesNoOtherLink() {
        PeerEndpoint alice = fixture.start();
        for (int round = 0; round < 50; round++) {
            PeerEndpoint bob = fixture.start();
            bob.addPeerAddress(alice.peerAddress());
            bob.connect(alice.peerId()).cancel(false);
            bob.messenger(alice.peerId(), SERVICE).close();
            join(bob.connect(alice.peerId()));
            until(
                    "one link",
                    () -> count(bob, Counter.CONNECTIONS_OPENED) - count(bob, Counter.CONNECTIONS_CLOSED) == 1);
            assertThat(bob.connectedPeers()).containsExactly(alice.peerId());
            bob.close();
        }
        EndpointFixture.assertNothingLeft(alice);
    }

    @Test
    void transportThatThrows_isUnreachable() {
        StuckTransport broken = new StuckTransport();
        broken.onDial(() -> {
            throw new IllegalStateException("on purpose");
        });
        PeerEndpoint bob = fixture.start(Identity.generate(), QUICK, broken);
        PeerId far = Identity.generate().peerId();
        bob.addPeerAddress(PeerAddress.of(far, EndpointAddress.parse("stuck://far")));
        assertFails(bob.connect(far), ErrorCode.UNREACHABLE, far.text());
    }

    @Test
    void idleLink_closes_andIsReopened() {
        EndpointLimits idle = EndpointLimits.DEFAULTS.toBuilder()
                .idleTimeout(Duration.ofMinutes(1))
                .build();
        ManualScheduler time = new ManualScheduler();
        PeerEndpoint alice = start(idle, time);
        PeerEndpoint bob = start(idle, time);
        exchangeAddresses(alice, bob);
        Queue<String> received = collect(alice, SERVICE);
        for (int round = 1; round <= 3; round++) {
            join(bob.send(alice.peerId(), SERVICE, text("m" + round)));
            int expected = round;
            until("the message", () -> received.size() == expected);
            Link link = link(bob, alice);
            while (!link.whenClosed().isDone()) {
                time.advance(idle.keepAliveInterval().dividedBy(2)); // at most one check of each end
                join(link.ping().handle((roundTrip, failure) -> true)); // so no end finds the other one silent
            }
            until(
                    "the idle link to close",
                    () -> bob.connectedPeers().isEmpty()
                            && count(alice, Counter.CONNECTIONS_CLOSED) == count(alice, Counter.CONNECTIONS_OPENED));
        }
        assertThat(count(bob, Counter.CONNECTIONS_DROPPED)).isZero();
        EndpointFixture.assertNothingLeft(alice);
    }

    @Test
    void cachedMessengers_closeWhenUnused_evenIfTheLinkIsBusy() {
        EndpointLimits idle = EndpointLimits.DEFAULTS.toBuilder()
                .idleTimeout(Duration.ofMinutes(1))
                .maxChannels(8)
                .build();
        ManualScheduler time = new ManualScheduler();
        PeerEndpoint alice = start(idle, time);
        PeerEndpoint bob = start(idle, time);
        exchangeAddresses(alice, bob);
        collect(alice, SERVICE);
        for (int i = 0; i < 6; i++) {
            ServiceAddress once = new ServiceAddress("once", Integer.toString(i));
            collect(alice, once);
            join(bob.send(alice.peerId(), once, text("once")));
        }
        until("the unused channels to end", () -> {
            join(bob.send(alice.peerId(), SERVICE, text("busy")));
            time.advance(idle.keepAliveInterval().dividedBy(2)); // at most one check of each end
            return association(bob, alice).messengerCount() == 1;
        });
        assertThat(count(bob, Counter.CONNECTIONS_OPENED)).isEqualTo(1);
    }

    /** Starts an endpoint that listens on an address of its own, and whose timers are in the time of the scheduler. */
    private PeerEndpoint start(EndpointLimits limits, ManualScheduler time) {
        PeerEndpoint endpoint = fixture.start(Identity.generate(), limits, time);
        join(endpoint.listen(EndpointAddress.parse("mem://any")));
        return endpoint;
    }

    @Test
    void send_whileIdleMessengersClose_doesNotFail() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        collect(alice, SERVICE);
        join(bob.connect(alice.peerId()));
        AtomicBoolean stop = new AtomicBoolean();
        Association association = association(bob, alice);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> {
            while (!stop.get()) {
                association.closeIdleMessengers();
                LockSupport.parkNanos(200_000); // far more often than in practice, but not within a single call
            }
        });
        try {
            for (int i = 0; i < 5000; i++) {
                join(bob.send(alice.peerId(), SERVICE, text("x")));
            }
        } finally {
            stop.set(true);
            join(closing);
        }
    }

    private static Association association(PeerEndpoint from, PeerEndpoint to) {
        return Objects.requireNonNull(from.association(to.peerId()));
    }
}
