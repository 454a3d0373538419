package io.parley.resolver.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.internal.WireStatus;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.resolver.ResolverLimits;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Responses to peers that acknowledge only what the test completes. */
class ResponseSenderTest {

    private static final int RESPONSE_BYTES = 32 << 10;

    /** The number of responses of the test for which there is room in all. */
    private static final int ROOM = 40;

    private static final Duration MAX_AGE = ResolverLimits.DEFAULTS.handlerTimeout();

    private final ManualScheduler scheduler = new ManualScheduler();
    private final PeerId self = Identity.generate().peerId();
    private final Map<PeerId, String> hosts = new HashMap<>();

    /** The sends that the endpoint has accepted, by peer. */
    private final Map<PeerId, List<CompletableFuture<Void>>> sends = new HashMap<>();

    private final Endpoint endpoint = (Endpoint) Proxy.newProxyInstance(
            Endpoint.class.getClassLoader(),
            new Class<?>[] {Endpoint.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "peerId" -> self;
                case "remoteAddress" ->
                    Optional.ofNullable(hosts.get((PeerId) arguments[0]))
                            .map(host -> new EndpointAddress("tcp", host, 9701));
                case "send" -> {
                    CompletableFuture<Void> sent = new CompletableFuture<>();
                    sends.computeIfAbsent((PeerId) arguments[0], peer -> new ArrayList<>())
                            .add(sent);
                    yield sent;
                }
                default -> throw new UnsupportedOperationException(method.getName());
            });
    private final ResponseSender sender = new ResponseSender(
            endpoint,
            new ResolverMessageSender(endpoint, ServiceAddress.of("resolver")),
            ResolverLimits.DEFAULTS.toBuilder()
                    .maxBodyBytes(RESPONSE_BYTES)
                    .maxUnsentResponseBytes((long) ROOM * RESPONSE_BYTES)
                    .build(),
            scheduler);

    private PeerId peerAt(String host) {
        PeerId peer = Identity.generate().peerId();
        hosts.put(peer, host);
        return peer;
    }

    private CompletableFuture<Void> send(PeerId peer) {
        return sender.send(
                peer, new ResolverMessage.ResponseMessage(1, Message.of("data", new byte[RESPONSE_BYTES - 1000])));
    }

    private List<CompletableFuture<Void>> send(PeerId peer, int count) {
        return IntStream.range(0, count).mapToObj(i -> send(peer)).toList();
    }

    private static boolean isDropped(CompletableFuture<Void> response) {
        return response.isCompletedExceptionally()
                && response.handle((sent, failure) -> ((ParleyException) failure).code() == ErrorCode.LOCAL_LIMIT)
                        .join();
    }

    private static long dropped(Stream<CompletableFuture<Void>> responses) {
        return responses.filter(ResponseSenderTest::isDropped).count();
    }

    @Test
    void peerThatDoesNotRead_getsAQuarter_andTheEndpointHoldsFewOfThese() {
        PeerId mallory = peerAt("192.0.2.1");
        List<CompletableFuture<Void>> responses = send(mallory, ROOM);
        assertThat(dropped(responses.stream())).isBetween(ROOM * 3L / 4 - 1, ROOM * 3L / 4);
        assertThat(sends.get(mallory)).hasSizeBetween(4, 5);
        assertThat(sender.isFull(mallory)).isFalse(); // there is room for a small one
        while (!sender.isFull(mallory)) {
            sender.send(mallory, new ResolverMessage.ResponseMessage(2, Message.EMPTY));
        }
        assertThat(sender.isFull(peerAt("192.0.2.1"))).isFalse();
    }

    @Test
    void acknowledgedResponses_makeRoomForTheNext_inOrder() {
        PeerId alice = peerAt("192.0.2.1");
        List<CompletableFuture<Void>> responses = send(alice, 10);
        for (int i = 0; i < 10; i++) {
            sends.get(alice).get(i).complete(null);
            assertThat(responses.get(i)).isCompleted();
        }
        assertThat(sender.pendingPeers()).isZero();
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void waitingResponse_isDroppedWhenItIsOld() {
        PeerId mallory = peerAt("192.0.2.1");
        List<CompletableFuture<Void>> responses = new ArrayList<>(send(mallory, 8));
        scheduler.advance(MAX_AGE.minusSeconds(1));
        responses.addAll(send(mallory, 1));
        assertThat(dropped(responses.stream())).isZero();
        scheduler.advance(Duration.ofSeconds(1));
        int sending = sends.get(mallory).size();
        assertThat(dropped(responses.subList(sending, 8).stream())).isEqualTo(8 - sending);
        assertThat(responses.get(8)).isNotDone();
        scheduler.advance(MAX_AGE);
        assertThat(isDropped(responses.get(8))).isTrue();
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void oneHostWithManyPeers_leavesAFifthToOthers() {
        List<CompletableFuture<Void>> hostile = new ArrayList<>();
        for (int i = 0; i < 2 * ROOM; i++) {
            hostile.addAll(send(peerAt("192.0.2.1"), 1));
        }
        PeerId alice = peerAt("198.51.100.1");
        List<CompletableFuture<Void>> honest = send(alice, ROOM / 5);
        assertThat(dropped(honest.stream())).isZero();
        assertThat(sends.get(alice)).isNotEmpty();
        assertThat(dropped(hostile.stream())).isGreaterThanOrEqualTo(ROOM);
    }

    @Test
    void fullOfTheResponsesOfSomeHosts_dropsTheOldestOfTheLargest_forANewHost() {
        List<PeerId> attackers =
                IntStream.range(1, 6).mapToObj(i -> peerAt("203.0." + i + ".1")).toList();
        Map<PeerId, List<CompletableFuture<Void>>> hostile = new HashMap<>();
        attackers.forEach(peer -> hostile.put(peer, send(peer, ROOM)));
        long before = dropped(hostile.values().stream().flatMap(List::stream));
        PeerId alice = peerAt("198.51.100.1");
        CompletableFuture<Void> honest = send(alice);
        assertThat(honest).isNotDone();
        sends.get(alice).get(0).complete(null);
        assertThat(honest).isCompleted();
        assertThat(dropped(hostile.values().stream().flatMap(List::stream))).isEqualTo(before + 1);
        assertThat(hostile.entrySet())
                .anySatisfy(entry -> assertThat(isDropped(
                                entry.getValue().get(sends.get(entry.getKey()).size())))
                        .isTrue());
    }

    @Test
    void fullOfTinyResponses_dropsThoseToSeveralPeersOfTheLargestHost_forALargeOneToANewHost() {
        List<CompletableFuture<Void>> hostile = new ArrayList<>();
        int room = 8 * ROOM - 1; // each counts for 4 KiB
        PeerId mallory = self;
        for (int i = 0; i < room; i++) { // 34 for each peer, of which the endpoint holds 32; seven peers have one host
            if (i % 34 == 0) {
                mallory = peerAt(i < 7 * 34 ? "203.0.113.1" : "192.0.2.1");
            }
            hostile.add(sender.send(mallory, new ResolverMessage.ResponseMessage(2, Message.EMPTY)));
        }
        assertThat(hostile).noneMatch(CompletableFuture::isDone);
        CompletableFuture<Void> honest = send(peerAt("198.51.100.1"));
        assertThat(honest).isNotDone();
        assertThat(dropped(hostile.stream())).isBetween(7L, 8L);
        assertThat(dropped(hostile.subList(0, 7 * 34).stream())).isBetween(7L, 8L);
    }

    @Test
    void refusals_areChargedToTheHost() {
        PeerId mallory = peerAt("192.0.2.1");
        ResolverMessage.ErrorMessage refusal =
                new ResolverMessage.ErrorMessage(1, WireStatus.of(ErrorCode.BUSY, "busy"));
        List<CompletableFuture<Void>> refusals = IntStream.range(0, 10 * ROOM)
                .mapToObj(i -> sender.sendRefusal(mallory, refusal))
                .toList();
        assertThat(refusals.get(10 * ROOM - 1)).isCompletedExceptionally();
        assertThat(dropped(Stream.of(send(peerAt("198.51.100.1"))))).isZero();
    }

    @Test
    void close_dropsWhatWaits() {
        PeerId mallory = peerAt("192.0.2.1");
        List<CompletableFuture<Void>> responses = send(mallory, 8);
        sender.close();
        assertThat(responses.get(7)).isCompletedExceptionally();
        assertThat(scheduler.pending()).isZero();
        sends.get(mallory).forEach(sent -> sent.complete(null));
        assertThat(sender.pendingPeers()).isZero();
    }
}
