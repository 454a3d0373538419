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

/** What only sockets show: interfaces, shared ports, strangers, other processes. */
class UdpSocketsTest {

    private static final Duration OFTEN = Duration.ofMillis(20);

    private final UdpSettings settings =
            TestChannel.settings().toBuilder().interfaceCheckInterval(OFTEN).build();
    private final ThreadWatch threads = new ThreadWatch();
    private final List<UdpPropagationTransport> opened = new ArrayList<>();
    private final List<String> heard = new CopyOnWriteArrayList<>();

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
        UdpPropagationTransport transport = new UdpPropagationTransport(context, with, interfaces, System::nanoTime);
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
        return (sender, payload) -> heard.add(payload.toString(StandardCharsets.UTF_8));
    }

    private static CompletableFuture<Void> say(UdpPropagationTransport transport, String text) {
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
    void interfaceComes_andGoes_andComesAgain() throws Exception {
        List<NetworkInterface> present = new CopyOnWriteArrayList<>();
        NetworkInterface loopback = loopback();
        open(() -> List.of(loopback), recording());
        UdpPropagationTransport alice = open(() -> List.copyOf(present), recording());
        assertUnreachable(alice);

        for (String round : List.of("first", "second")) {
            present.add(loopback);
            untilSent(alice, round);
            Eventually.until(() -> "heard: " + heard, () -> heard.contains(round));
            present.clear();
            Eventually.until(() -> "it can still send", () -> failure(say(alice, "gone?")) == ErrorCode.UNREACHABLE);
        }
    }

    private static void untilSent(UdpPropagationTransport transport, String text) {
        Eventually.until(() -> "nothing can be sent", () -> failure(say(transport, text)) == null);
    }

    /** Looking often may be refused as too often, which is neither. */
    private static @Nullable ErrorCode failure(CompletableFuture<Void> saying) {
        return Eventually.get(
                saying.handle((sent, cause) -> cause instanceof ParleyException parleys ? parleys.code() : null),
                "propagating");
    }

    private static void assertUnreachable(UdpPropagationTransport transport) {
        assertThat(Eventually.failure(say(transport, "x"), "propagating without an interface"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    }

    @Test
    void portTakenByWhoDoesNotShare_failsWithCannotListen() throws Exception {
        try (DatagramSocket taken = new DatagramSocket(null)) {
            taken.setReuseAddress(false);
            taken.bind(new InetSocketAddress(settings.port()));
            UdpPropagationTransport transport = create(context(), settings, InterfaceSource.SYSTEM);
            assertThat(Eventually.failure(transport.start(recording()), "starting"))
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANNOT_LISTEN))
                    .hasMessageContaining(String.valueOf(settings.port()));
            assertUnreachable(transport);
        }
    }

    @Test
    void strangersDatagrams_areRefused_andPeersGoOn() throws Exception {
        TransportContext bobs = context();
        open(bobs, InterfaceSource.SYSTEM, recording());
        UdpPropagationTransport alice = open(InterfaceSource.SYSTEM, recording());
        try (DatagramSocket stranger = new DatagramSocket()) {
            stranger.setOption(StandardSocketOptions.IP_MULTICAST_IF, loopback());
            byte[] noise = "M-SEARCH * HTTP/1.1".getBytes(StandardCharsets.US_ASCII);
            stranger.send(new DatagramPacket(noise, noise.length, settings.group4(), settings.port()));
        }
        Eventually.until(
                () -> "the noise was not counted", () -> bobs.metrics().get(Counter.PROPAGATIONS_REJECTED) == 1);
        Eventually.get(say(alice, "hello"), "propagating");
        Eventually.until(() -> "heard: " + heard, () -> heard.contains("hello"));
    }

    @Test
    void callerFasterThanAllowed_isToldBusy_andTheRestIsSent() {
        open(InterfaceSource.SYSTEM, recording());
        UdpPropagationTransport alice = open(InterfaceSource.SYSTEM, recording());
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            all.add(say(alice, "x"));
        }
        for (CompletableFuture<Void> each : all) {
            assertThat(failure(each)).isIn(null, ErrorCode.BUSY);
        }
        long busy =
                all.stream().filter(CompletableFuture::isCompletedExceptionally).count();
        assertThat(busy).isPositive().isLessThanOrEqualTo(1000 - 100);
    }

    @Test
    void largePayloadsFasterThanTheNetwork_areRefusedWithBusy_notQueued() {
        UdpPropagationTransport alice = open(InterfaceSource.SYSTEM, recording());
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            all.add(alice.propagate(List.of(), Unpooled.buffer().writeZero(64 * 1024)));
        }
        assertThat(all.stream().filter(CompletableFuture::isCompletedExceptionally))
                .as("1 MiB waits at most, which is 16 of them")
                .isNotEmpty();
        Eventually.get(alice.closeAsync(), "closing with a full outbox");
        assertThat(all).allMatch(CompletableFuture::isDone);
    }

    @Test
    void twoProcesses_hearEachOther() throws Exception {
        try (MulticastSenderProcess one = new MulticastSenderProcess(settings, "one");
                MulticastSenderProcess two = new MulticastSenderProcess(settings, "two")) {
            one.awaitLine("heard two");
            two.awaitLine("heard one");
            one.end();
            two.end();
        }
    }
}
