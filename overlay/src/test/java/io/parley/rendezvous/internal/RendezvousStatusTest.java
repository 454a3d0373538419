package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.RendezvousStatus;
import io.parley.rendezvous.internal.RendezvousFixture.Node;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import io.parley.transport.memory.InMemoryNetwork;
import java.lang.ref.WeakReference;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RendezvousStatusTest {

    private static final EndpointAddress LATE = EndpointAddress.parse("mem://late");
    private static final EndpointAddress NEVER = EndpointAddress.parse("mem://never");
    private static final String WARNING = "Cannot acquire a lease from any rendezvous";
    private static final String RECOVERY = "Acquired a lease from rendezvous";

    private final RendezvousFixture fixture = new RendezvousFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    private static RendezvousStatus status(Node node) {
        return node.service().status();
    }

    @Test
    void status_ofAClientWithALease_isOnline() {
        Node rendezvous = fixture.rendezvous();
        Node client = fixture.client(rendezvous);
        fixture.await("a lease", () -> client.isLeasedWith(rendezvous));
        assertThat(status(client).isRendezvous()).isFalse();
        assertThat(status(client).isOnline()).isTrue();
        assertThat(status(client).rendezvous()).containsExactly(rendezvous.id());
        assertThat(status(client).seeds()).containsExactly(rendezvous.address().toString());
        assertThat(status(client).lastFailure()).isNull();
        assertThat(status(rendezvous).isRendezvous()).isTrue();
        assertThat(status(rendezvous).isOnline()).isTrue();
    }

    @Test
    void outage_isLoggedOnce_andSoIsItsEnd() {
        Instant start = fixture.clock.instant();
        try (CapturedLog log = new CapturedLog()) {
            Node client = fixture.clientOf(RendezvousLimits.DEFAULTS, LATE, NEVER);
            CompletableFuture<Void> online = client.service().whenOnline();
            fixture.advanceUntil(
                    "several rounds of searches", () -> fixture.clock.instant().isAfter(start.plusSeconds(10)));
            assertThat(log.lines(WARNING))
                    .singleElement()
                    .satisfies(line -> assertThat(line).contains("WARN", "(mem://late, mem://never)", "check that"));
            assertThat(status(client).isOnline()).isFalse();
            assertThat(status(client).offlineSince()).isEqualTo(start);
            assertThat(status(client).seeds()).containsExactly("mem://late", "mem://never");
            assertThat(status(client).lastFailure())
                    .isNotNull()
                    .satisfies(failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNREACHABLE));
            assertThat(online).isNotDone();

            Node late = fixture.rendezvousAt(LATE);
            fixture.advanceUntil("a lease", () -> client.isLeasedWith(late));
            Eventually.get(online, "being online");
            assertThat(log.lines(RECOVERY))
                    .singleElement()
                    .satisfies(
                            line -> assertThat(line).contains("INFO", late.id().toString(), "offline"));
            assertThat(status(client).isOnline()).isTrue();

            fixture.kill(late);
            fixture.advanceUntil("another warning", () -> log.lines(WARNING).size() == 2);
            assertThat(status(client).offlineSince()).isAfter(start);
        }
    }

    @Test
    void whenOnline_leavesNothing_afterTheFutureIsDone() {
        Node client = fixture.client();
        WeakReference<CompletableFuture<Void>> cancelled =
                new WeakReference<>(client.service().whenOnline());
        Objects.requireNonNull(cancelled.get()).cancel(false);
        Node rendezvous = fixture.rendezvous();
        WeakReference<CompletableFuture<Void>> online =
                new WeakReference<>(rendezvous.service().whenOnline());
        Eventually.until(() -> "the futures are no garbage", () -> {
            System.gc();
            return cancelled.refersTo(null) && online.refersTo(null);
        });
    }

    @Test
    void whenOnline_failsWhenTheServiceCloses() {
        Node client = fixture.client();
        CompletableFuture<Void> before = client.service().whenOnline();
        Eventually.get(client.service().closeAsync(), "closing");
        assertThat(RendezvousFixture.failure(before)).isEqualTo(ErrorCode.CLOSED);
        assertThat(RendezvousFixture.failure(client.service().whenOnline())).isEqualTo(ErrorCode.CLOSED);
    }

    @Test
    void client_withoutSeeds_doesNotWarn() {
        try (CapturedLog log = new CapturedLog()) {
            Instant start = fixture.clock.instant();
            Node client = fixture.client();
            fixture.advanceUntil("some time", () -> fixture.clock.instant().isAfter(start.plusSeconds(10)));
            assertThat(status(client).isOnline()).isFalse();
            assertThat(log.lines("WARN")).isEmpty();
        }
    }

    @Test
    void rendezvous_whoseSeedIsUnreachable_isOnline_withTheFailure() {
        Node rendezvous = fixture.rendezvousWithSeeds(NEVER);
        fixture.await("the failure", () -> status(rendezvous).lastFailure() != null);
        assertThat(status(rendezvous).isOnline()).isTrue();
        assertThat(status(rendezvous).seeds()).containsExactly("mem://never");
    }

    @Test
    void start_withASeedThatNoTransportServes_failsNamingTheArtifact() {
        assertThatThrownBy(() -> fixture.clientOf(RendezvousLimits.DEFAULTS, EndpointAddress.parse("tcp://h:1")))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_TRANSPORT))
                .hasMessageContainingAll("tcp://h:1", "io.parley:parley-transport-tcp", "mem");
        assertThatThrownBy(() -> fixture.rendezvousWithSeeds(EndpointAddress.parse("tcp://h:1")))
                .isInstanceOf(ParleyException.class);
    }

    @Test
    void peer_withASeedThatNoTransportServes_doesNotStart() {
        InMemoryNetwork network = new InMemoryNetwork(1);
        PeerId id = Identity.generate().peerId();
        for (String seed : new String[] {
            "udp://h:1", PeerAddress.of(id, EndpointAddress.parse("udp://h:1")).toString()
        }) {
            assertThatThrownBy(() -> Peer.builder()
                            .multicast(false)
                            .transport(network.transportProvider())
                            .listen("mem://any")
                            .rendezvous(seed)
                            .start())
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_TRANSPORT))
                    .hasMessageContainingAll(seed, "io.parley:parley-transport-udp");
        }
    }
}
