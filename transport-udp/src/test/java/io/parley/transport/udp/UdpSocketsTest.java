package io.parley.transport.udp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.testkit.ThreadWatch;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PropagationListener;
import io.parley.transport.PropagationTransportProvider;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Behavior that needs sockets: interfaces, shared sockets and ports, foreign datagrams, other processes. */
class UdpSocketsTest {

    private static final Duration CHECK_INTERVAL = Duration.ofMillis(20);

    private final UdpSettings settings = TestChannel.settings().toBuilder()
            .interfaceCheckInterval(CHECK_INTERVAL)
            .build();
    private final ThreadWatch threads = new ThreadWatch();
    private final List<UdpPropagationTransport> opened = new ArrayList<>();
    private final List<String> received = new CopyOnWriteArrayList<>();

    @AfterEach
    void closeAll() {
        opened.forEach(UdpPropagationTransport::closeAsync);
        opened.forEach(each -> Eventually.get(each.whenClosed(), "closing"));
        threads.untilGone();
    }

    private static TransportContext context() {
        return new TransportContext(
                Identity.generate(),
                TransportSecurity.TLS,
                TransportLimits.DEFAULTS,
                new EndpointMetrics(),
                Scheduler.system());
    }

    private UdpPropagationTransport create(TransportContext context, UdpSettings with, InterfaceSource interfaces) {
        UdpPropagationTransport transport = new UdpPropagationTransport(context, with, interfaces);
        opened.add(transport);
        return transport;
    }

    private UdpPropagationTransport open(InterfaceSource interfaces, PropagationListener listener) {
        return open(context(), interfaces, listener);
    }

    private UdpPropagationTransport open(
            TransportContext context, InterfaceSource interfaces, PropagationListener listener) {
        UdpPropagationTransport transport = create(context, settings, interfaces);
        Eventually.get(transport.start(listener), "starting");
        return transport;
    }

    private PropagationListener recording() {
        return recording(received);
    }

    private static PropagationListener recording(List<String> texts) {
        return (sender, payload) -> texts.add(payload.toString(StandardCharsets.UTF_8));
    }

    private static CompletableFuture<Void> propagate(UdpPropagationTransport transport, String text) {
        return transport.propagate(List.of(), Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }

    private static NetworkInterface loopback() throws Exception {
        return NetworkInterface.getByInetAddress(InetAddress.getByName("127.0.0.1"));
    }

    @Test
    void provider_isFoundByItsService() {
        assertThat(ServiceLoader.load(PropagationTransportProvider.class))
                .singleElement()
                .isInstanceOfSatisfying(
                        UdpPropagationProvider.class,
                        provider -> assertThat(provider.scheme()).isEqualTo("udp"));
    }

    @Test
    void interface_addedAndRemovedAndAddedAgain_isUsedWhilePresent() throws Exception {
        List<NetworkInterface> present = new CopyOnWriteArrayList<>();
        NetworkInterface loopback = loopback();
        open(() -> List.of(loopback), recording());
        UdpPropagationTransport alice = open(() -> List.copyOf(present), recording());
        assertUnreachable(alice);

        for (String round : List.of("first", "second")) {
            present.add(loopback);
            untilSent(alice, round);
            Eventually.until(() -> "received: " + received, () -> received.contains(round));
            present.clear();
            Eventually.until(
                    () -> "it can still send", () -> failure(propagate(alice, "gone?")) == ErrorCode.UNREACHABLE);
        }
    }

    private static void untilSent(UdpPropagationTransport transport, String text) {
        Eventually.until(() -> "nothing can be sent", () -> failure(propagate(transport, text)) == null);
    }

    /** Returns the failure, or null. Frequent polling may get BUSY, which is neither success nor UNREACHABLE. */
    private static @Nullable ErrorCode failure(CompletableFuture<Void> sent) {
        return Eventually.get(
                sent.handle((done, cause) -> cause instanceof ParleyException parleys ? parleys.code() : null),
                "propagating");
    }

    private static void assertUnreachable(UdpPropagationTransport transport) {
        assertThat(Eventually.failure(propagate(transport, "x"), "propagating without an interface"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    }

    @Test
    void portInExclusiveUse_failsWithCannotListen_andCanBeUsedOnceItIsFree() throws Exception {
        UdpPropagationTransport alice = create(context(), settings, InterfaceSource.SYSTEM);
        try (DatagramSocket exclusive = new DatagramSocket(null)) {
            exclusive.setReuseAddress(false);
            exclusive.bind(new InetSocketAddress(settings.port()));
            assertThat(Eventually.failure(alice.start(recording()), "starting"))
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANNOT_LISTEN))
                    .hasMessageContaining(String.valueOf(settings.port()));
            assertUnreachable(alice);
        }
        open(InterfaceSource.SYSTEM, recording()); // although alice still holds the sockets that failed
    }

    @Test
    void foreignDatagrams_areRejected_andPeersStillReceive() throws Exception {
        TransportContext bobs = context();
        open(bobs, InterfaceSource.SYSTEM, recording());
        UdpPropagationTransport alice = open(InterfaceSource.SYSTEM, recording());
        try (DatagramSocket foreign = new DatagramSocket()) {
            foreign.setOption(StandardSocketOptions.IP_MULTICAST_IF, loopback());
            byte[] noise = "M-SEARCH * HTTP/1.1".getBytes(StandardCharsets.US_ASCII);
            foreign.send(new DatagramPacket(noise, noise.length, settings.group4(), settings.port()));
        }
        Eventually.until(
                () -> "the foreign datagram was not counted",
                () -> bobs.metrics().get(Counter.PROPAGATIONS_REJECTED) == 1);
        Eventually.get(propagate(alice, "hello"), "propagating");
        Eventually.until(() -> "received: " + received, () -> received.contains("hello"));
    }

    @Test
    void callerAboveItsRate_failsWithBusy_andTheRestIsSent() {
        open(InterfaceSource.SYSTEM, recording());
        UdpPropagationTransport alice = open(InterfaceSource.SYSTEM, recording());
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            all.add(propagate(alice, "x"));
        }
        for (CompletableFuture<Void> each : all) {
            assertThat(failure(each)).isIn(null, ErrorCode.BUSY);
        }
        long busy =
                all.stream().filter(CompletableFuture::isCompletedExceptionally).count();
        assertThat(busy).isPositive().isLessThanOrEqualTo(1000 - 100);
    }

    @Test
    void largePayloadsAboveThePace_failWithBusy_andAreNotQueued() {
        UdpPropagationTransport alice = open(InterfaceSource.SYSTEM, recording());
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            all.add(alice.propagate(List.of(), Unpooled.buffer().writeZero(64 * 1024)));
        }
        assertThat(all.stream().filter(CompletableFuture::isCompletedExceptionally))
                .as("the queue holds 1 MiB, which is 16 payloads")
                .isNotEmpty();
        Eventually.get(alice.closeAsync(), "closing with a full queue");
        assertThat(all).allMatch(CompletableFuture::isDone);
    }

    @Test
    void twoProcesses_receiveFromEachOther() throws Exception {
        try (MulticastSenderProcess one = new MulticastSenderProcess(settings, "one");
                MulticastSenderProcess two = new MulticastSenderProcess(settings, "two")) {
            one.awaitLine("received two");
            two.awaitLine("received one");
            one.exit();
            two.exit();
        }
    }

    // Shared sockets.

    @Test
    void fiftyTransportsOfOneJvm_shareSocketsAndThread_andEachReceivesAPayload() {
        int count = 50;
        List<List<String>> texts = new ArrayList<>();
        List<TransportContext> contexts = new ArrayList<>();
        List<CompletableFuture<Void>> starts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<String> own = new CopyOnWriteArrayList<>();
            texts.add(own);
            contexts.add(context());
            starts.add(create(contexts.get(i), settings, InterfaceSource.SYSTEM).start(recording(own)));
        }
        starts.forEach(start -> Eventually.get(start, "starting"));
        assertThat(threads.started()).as("threads of %s transports", count).hasSize(1);
        assertThat(users()).isEqualTo(count);

        Eventually.get(propagate(opened.get(0), "first"), "propagating");
        Eventually.get(propagate(opened.get(1), "second"), "propagating");
        for (int i = 0; i < count; i++) {
            List<String> own = texts.get(i);
            String[] expected = i == 0
                    ? new String[] {"second"}
                    : i == 1 ? new String[] {"first"} : new String[] {"first", "second"};
            Eventually.until(() -> "received: " + own, () -> own.size() >= expected.length);
            assertThat(own).containsExactlyInAnyOrder(expected);
            assertThat(contexts.get(i).metrics().get(Counter.PROPAGATIONS_RECEIVED))
                    .as("counter of transport %s", i)
                    .isEqualTo(expected.length);
        }

        for (UdpPropagationTransport transport : opened.subList(0, count - 1)) {
            Eventually.get(transport.closeAsync(), "closing");
        }
        assertThat(users())
                .as("users after all transports except one are closed")
                .isEqualTo(1);
        assertThat(threads.started()).hasSize(1);
        Eventually.get(opened.get(count - 1).closeAsync(), "closing the last transport");
        assertThat(users()).isZero();
        threads.untilGone();
        assertThat(portIsFree())
                .as("the port is free after the last transport is closed")
                .isTrue();
    }

    private int users() {
        return SocketRegistry.SHARED.users(settings, InterfaceSource.SYSTEM, Scheduler.system());
    }

    private boolean portIsFree() {
        try (DatagramSocket exclusive = new DatagramSocket(null)) {
            exclusive.setReuseAddress(false);
            exclusive.bind(new InetSocketAddress(settings.port()));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void transportsOfOneJvm_haveRateLimitsOfTheirOwn() {
        UdpLimits few = settings.limits().toBuilder()
                .signaturesPerSecondPerSource(1)
                .signaturesPerSecond(1)
                .build();
        TransportContext limited = context();
        List<String> limitedTexts = new CopyOnWriteArrayList<>();
        UdpPropagationTransport bob =
                create(limited, settings.toBuilder().limits(few).build(), InterfaceSource.SYSTEM);
        Eventually.get(bob.start(recording(limitedTexts)), "starting");
        open(InterfaceSource.SYSTEM, recording());
        UdpPropagationTransport alice = open(InterfaceSource.SYSTEM, recording(new ArrayList<>()));
        assertThat(threads.started()).hasSize(1);

        int count = 50;
        for (int i = 0; i < count; i++) {
            Eventually.get(propagate(alice, "number " + i), "propagating");
        }
        Eventually.until(() -> "received: " + received, () -> received.size() == count);
        assertThat(limited.metrics().get(Counter.PROPAGATIONS_THROTTLED)).isPositive();
        assertThat(limitedTexts).hasSizeLessThan(count);
    }

    @Test
    void otherSettings_haveSocketsOfTheirOwn() {
        open(InterfaceSource.SYSTEM, recording());
        UdpPropagationTransport far =
                create(context(), settings.toBuilder().hops(2).build(), InterfaceSource.SYSTEM);
        Eventually.get(far.start(recording()), "starting");
        assertThat(threads.started()).hasSize(2);
        assertThat(users()).isEqualTo(1);

        Eventually.get(propagate(far, "hello"), "propagating");
        Eventually.until(() -> "received: " + received, () -> received.contains("hello"));
    }
}
