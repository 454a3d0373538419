package io.parley;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.Scheduler;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Publication;
import io.parley.discovery.SearchOptions;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.rendezvous.internal.RendezvousRole;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Peers of which one has a clock that is ahead, as on many local networks. They publish, find and withdraw as others do. In manual time.
 */
@Timeout(120)
class ClockAheadTest {

    private static final Duration AHEAD = Duration.ofSeconds(40);
    private static final Duration STEP = Duration.ofMillis(100);

    /** Longer than an advertisement is kept that is not renewed. */
    private static final Duration LONG = Duration.ofMinutes(5);

    private static final Duration SEARCH_TIMEOUT = Duration.ofSeconds(20);
    private static final DiscoveryQuery RAIN = DiscoveryQuery.any().with("Name", "rain");

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final ManualScheduler time = new ManualScheduler();
    private final List<Peer> peers = new ArrayList<>();

    /** The time of all peers with the clock of one of them. */
    private record OneClock(Scheduler time, Clock clock) implements Scheduler {

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            return time.schedule(delay, task);
        }

        @Override
        public Random random() {
            return time.random();
        }
    }

    private Peer start(String name, String ahead, UnaryOperator<PeerBuilder> options) {
        Clock clock = name.equals(ahead) ? Clock.offset(time.clock(), AHEAD) : time.clock();
        Peer peer = options.apply(Peer.builder()
                        .name(name)
                        .transport(network.transportProvider())
                        .scheduler(new OneClock(time, clock))
                        .listen("mem://" + name))
                .start();
        peers.add(peer);
        return peer;
    }

    private Peer startNear(String name, String ahead) {
        return start(name, ahead, builder -> builder.propagationTransport(network.propagationProvider()));
    }

    private Peer startClient(String name, String ahead) {
        return start(name, ahead, builder -> builder.multicast(false).rendezvous("mem://rendezvous"));
    }

    @AfterEach
    void close() {
        List<CompletableFuture<Void>> closing =
                peers.stream().map(Peer::closeAsync).toList();
        closing.forEach(closed -> advanceUntil("close", closed::isDone));
    }

    private void advanceUntil(String what, BooleanSupplier condition) {
        Eventually.until(() -> what, () -> {
            if (condition.getAsBoolean()) {
                return true;
            }
            time.advance(STEP);
            return false;
        });
    }

    private static Publication publishRain(Peer peer) {
        return peer.netGroup()
                .discovery()
                .publish(PipeAdvertisement.of(PipeId.random(GroupId.NET), PipeType.UNICAST, "rain"));
    }

    private boolean findsRain(Peer peer) {
        CompletableFuture<List<SignedAdvertisement>> search = peer.netGroup()
                .discovery()
                .find(RAIN, new SearchOptions(SEARCH_TIMEOUT, 1, SearchOptions.Scope.LOCAL_AND_REMOTE));
        advanceUntil("a search", search::isDone);
        return !search.join().isEmpty();
    }

    private static boolean isRainIndexed(Peer peer) {
        return !Eventually.get(
                        ((RendezvousRole) peer.rendezvous()).index().find(GroupId.NET, RAIN, 0, 10, SEARCH_TIMEOUT),
                        "a query to the index")
                .documents()
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rendezvous", "publisher", "searcher"})
    void overARendezvous_publishedIsFound_untilItIsWithdrawn(String ahead) {
        Peer rendezvous =
                start("rendezvous", ahead, builder -> builder.multicast(false).actAsRendezvous());
        Peer publisher = startClient("publisher", ahead);
        Peer searcher = startClient("searcher", ahead);
        Publication rain = publishRain(publisher);
        List.of(publisher, searcher)
                .forEach(client ->
                        advanceUntil("a lease", () -> client.whenOnline().isDone()));
        advanceUntil("the publication in the index", () -> rain.whenIndexed().isDone());
        for (Duration passed = Duration.ZERO; passed.compareTo(LONG) < 0; passed = passed.plusSeconds(1)) {
            Duration at = passed;
            Eventually.until(() -> "not in the index after " + at, () -> isRainIndexed(searcher));
            time.advance(Duration.ofSeconds(1));
        }
        Eventually.until(
                () -> "not found", () -> findsRain(searcher)); // a search may end early: time passes on a busy machine
        rain.close();
        Eventually.until(() -> "not withdrawn from the index", () -> !isRainIndexed(searcher));
        assertThat(isRainIndexed(rendezvous)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"publisher", "searcher"})
    void onTheLocalNetwork_publishedIsFound_untilItIsWithdrawn(String ahead) {
        Peer publisher = startNear("publisher", ahead);
        Peer searcher = startNear("searcher", ahead);
        Publication rain = publishRain(publisher);
        for (Duration passed = Duration.ZERO; passed.compareTo(LONG) < 0; passed = passed.plusSeconds(1)) {
            Duration at = passed;
            Eventually.until(() -> "not found after " + at, () -> findsRain(searcher));
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(isKnown(searcher)).isTrue();
        rain.close();
        time.advance(Duration.ofSeconds(1)); // the withdrawal is announced
        Eventually.until(() -> "not withdrawn on the local network", () -> !isKnown(searcher));
    }

    private static boolean isKnown(Peer peer) {
        return !peer.netGroup().discovery().findLocal(RAIN, 1).isEmpty();
    }
}
