package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.internal.IndexPage;
import io.parley.endpoint.EndpointLimits;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.testkit.Eventually;
import io.parley.testkit.LeakSamplingScope;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A complete overlay in one JVM: every peer finds the pipes of all others, some rendezvous disconnect without a message, every
 * peer finds the pipes again, and no thread or peer is left after the end. {@code .ci/campaign-overlay} reports the figures that
 * this test prints.
 */
@Tag("extended")
class OverlaySimulationTest {

    /** The maximum time of a phase on a busy machine. */
    private static final Duration PHASE_TIMEOUT = Duration.ofMinutes(8);

    /** The rendezvous that one search queries, including the client's own: the first of the others has the entry, or the next. */
    private static final int MAX_QUERIED = 3;

    /** The rendezvous that a search without results queries: its own, and all that should have a replica. */
    private static final int MAX_QUERIED_IN_VAIN = 1 + RendezvousLimits.IndexLimits.DEFAULTS.replicas();

    /** The maximum time for replication after a publication, or after the loss of a rendezvous. */
    private static final Duration SETTLE_TIMEOUT = Duration.ofSeconds(30);

    /** The number of searches that run one by one, to count the queried rendezvous of each. */
    private static final int ONE_BY_ONE = 25;

    /** The number of concurrent searches. */
    private static final int CONCURRENT = 50;

    private final long seed = Long.getLong("parley.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final long began = System.nanoTime();
    private final List<WeakReference<Peer>> allPeers = new ArrayList<>();

    @Test
    @Timeout(120)
    void overlay_ofAHundredEdges_survivesItsRendezvous() {
        simulate(() -> new SimulatedOverlay(Duration.ofSeconds(2), Duration.ofSeconds(1)), 5, 100, 1, 200);
    }

    @Tag("slow")
    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void overlay_ofTwoThousandEdges_survivesItsRendezvous() {
        try (LeakSamplingScope sampling = new LeakSamplingScope()) {
            simulate(
                    () -> new SimulatedOverlay(Duration.ofSeconds(5), EndpointLimits.DEFAULTS.closeTimeout()),
                    20,
                    2000,
                    5,
                    500);
        }
    }

    private void simulate(Supplier<SimulatedOverlay> newOverlay, int rendezvous, int edges, int isolated, int samples) {
        report("parley.test.seed=" + seed);
        Set<Thread> before = ownThreads();
        Queue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
        Thread.UncaughtExceptionHandler usual = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> uncaught.add(failure));
        try {
            run(newOverlay.get(), rendezvous, edges, isolated, samples);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(usual);
        }
        assertThat(uncaught).isEmpty();
        await(() -> "remaining threads: " + left(before), () -> left(before).isEmpty());
        await(
                () -> "peers not collected: "
                        + allPeers.stream().filter(peer -> peer.get() != null).count(),
                () -> {
                    System.gc();
                    return allPeers.stream().allMatch(peer -> peer.get() == null);
                });
        report("all threads and peers are gone");
    }

    /** A separate method, so that no local variable refers to a peer afterwards. */
    private void run(SimulatedOverlay overlay, int rendezvous, int edges, int isolated, int samples) {
        try {
            overlay.startRendezvous(rendezvous);
            await(
                    () -> "rendezvous in the peer views: " + viewSizes(overlay),
                    () -> overlay.rendezvous().stream()
                            .allMatch(peer -> peer.rendezvous().rendezvous().size() == rendezvous - 1));
            report(rendezvous + " rendezvous know each other");
            overlay.startEdges(edges);
            report(edges + " clients started");
            await(
                    () -> withoutRendezvous(overlay) + " clients have no rendezvous",
                    () -> withoutRendezvous(overlay) == 0);
            report("all clients have a rendezvous");
            lookUp(overlay, samples);
            report(samples + " searches");

            overlay.isolate(isolated);
            report(isolated + " rendezvous isolated");
            Set<PeerId> alive = overlay.aliveRendezvous().stream().map(Peer::id).collect(Collectors.toSet());
            Awaitility.await("all clients have a live rendezvous within two leases")
                    .atMost(SimulatedOverlay.LEASE.multipliedBy(2))
                    .until(() -> overlay.edges().stream().allMatch(edge -> has(edge, alive)));
            report("all clients have a rendezvous again");
            lookUp(overlay, samples);
            report(samples + " searches");
        } finally {
            List<Peer> all = new ArrayList<>(overlay.rendezvous());
            all.addAll(overlay.edges());
            all.forEach(peer -> allPeers.add(new WeakReference<>(peer)));
            CompletableFuture<Void> closed = overlay.closeAsync();
            await(() -> "not all peers have closed", closed::isDone);
            assertThat(all).allMatch(peer -> peer.endpoint().connectedPeers().isEmpty());
            report("all peers have closed");
        }
    }

    private static List<Integer> viewSizes(SimulatedOverlay overlay) {
        return overlay.rendezvous().stream()
                .map(peer -> peer.rendezvous().rendezvous().size())
                .toList();
    }

    private static long withoutRendezvous(SimulatedOverlay overlay) {
        return overlay.edges().stream()
                .filter(edge -> edge.rendezvous().rendezvous().isEmpty())
                .count();
    }

    private static boolean has(Peer edge, Set<PeerId> alive) {
        Set<PeerId> rendezvous = edge.rendezvous().rendezvous();
        return !rendezvous.isEmpty() && alive.containsAll(rendezvous);
    }

    /**
     * Searches from random clients for the pipes of random others. After the time in which replicas settle, every search must
     * succeed at once, and must query few rendezvous.
     */
    private void lookUp(SimulatedOverlay overlay, int samples) {
        List<Integer> clients =
                random.ints(samples, 0, overlay.edges().size()).boxed().toList();
        List<Integer> holders =
                random.ints(samples, 0, overlay.edges().size()).boxed().toList();
        settle(overlay, clients, holders);

        long forwardedBefore = overlay.forwarded();
        for (int from = 0; from < samples; from += CONCURRENT) {
            int to = Math.min(samples, from + CONCURRENT);
            List<CompletableFuture<IndexPage>> pages = new ArrayList<>();
            for (int i = from; i < to; i++) {
                pages.add(overlay.lookUp(clients.get(i), holders.get(i)));
            }
            for (int i = from; i < to; i++) {
                assertThat(Eventually.get(pages.get(i - from), "a search").documents())
                        .as("pipe of client %d, searched by client %d", holders.get(i), clients.get(i))
                        .isNotEmpty();
            }
        }
        double queried = 1 + (double) (overlay.forwarded() - forwardedBefore) / samples;
        assertThat(queried).isBetween(1.0, (double) MAX_QUERIED_IN_VAIN);
        long most = mostQueried(overlay, clients, holders);
        assertThat(most).as("rendezvous queried by one search").isLessThanOrEqualTo(MAX_QUERIED);
        report("rendezvous queried per search: " + queried + " on average, at most " + most);

        List<CompletableFuture<List<SignedAdvertisement>>> found = new ArrayList<>();
        for (int i = 0; i < Math.min(samples, CONCURRENT); i++) {
            found.add(overlay.find(clients.get(i), holders.get(i)));
        }
        for (int i = 0; i < found.size(); i++) {
            PeerId holder = overlay.edges().get(holders.get(i)).id();
            assertThat(Eventually.get(found.get(i), "a search"))
                    .singleElement()
                    .satisfies(signed -> assertThat(signed.publisher()).isEqualTo(holder));
        }
    }

    /**
     * Waits until every sample is found with at most {@link #MAX_QUERIED} rendezvous: publications and replicas need time after a
     * change. Only this phase repeats a search.
     */
    private void settle(SimulatedOverlay overlay, List<Integer> clients, List<Integer> holders) {
        List<Integer> pending = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            pending.add(i);
        }
        int repeated = 0;
        long deadline = System.nanoTime() + PHASE_TIMEOUT.toNanos();
        while (!pending.isEmpty()) {
            assertThat(System.nanoTime() - deadline)
                    .as("pipes not found: %s", pending)
                    .isNegative();
            List<Integer> missing = new ArrayList<>();
            for (int from = 0; from < pending.size(); from += CONCURRENT) {
                List<Integer> batch = pending.subList(from, Math.min(pending.size(), from + CONCURRENT));
                List<CompletableFuture<Boolean>> found = batch.stream()
                        .map(i -> overlay.lookUp(clients.get(i), holders.get(i))
                                .handle((page, failure) ->
                                        failure == null && !page.documents().isEmpty()))
                        .toList();
                for (int i = 0; i < batch.size(); i++) {
                    if (!Eventually.get(found.get(i), "a search")) {
                        missing.add(batch.get(i));
                    }
                }
            }
            repeated += missing.size();
            pending = missing;
        }
        Awaitility.await("at most " + MAX_QUERIED + " rendezvous are queried by one search")
                .atMost(SETTLE_TIMEOUT)
                .pollInSameThread()
                .until(() -> mostQueried(overlay, clients, holders), queried -> queried <= MAX_QUERIED);
        report("settled; " + repeated + " searches repeated");
    }

    /** Returns the largest number of rendezvous that one search queried. Each of the searches must have a result. */
    private static long mostQueried(SimulatedOverlay overlay, List<Integer> clients, List<Integer> holders) {
        long most = 0;
        for (int i = 0; i < ONE_BY_ONE; i++) {
            long before = overlay.forwarded();
            IndexPage page = Eventually.get(overlay.lookUp(clients.get(i), holders.get(i)), "a search");
            assertThat(page.documents()).as("pipe of client %d", holders.get(i)).isNotEmpty();
            most = Math.max(most, 1 + overlay.forwarded() - before);
        }
        return most;
    }

    private static Set<Thread> ownThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("parley-"))
                .collect(Collectors.toSet());
    }

    private static List<String> left(Set<Thread> before) {
        return ownThreads().stream()
                .filter(thread -> !before.contains(thread))
                .map(Thread::getName)
                .toList();
    }

    private void await(Supplier<String> message, BooleanSupplier condition) {
        Awaitility.await()
                .atMost(PHASE_TIMEOUT)
                .pollInSameThread()
                .untilAsserted(() ->
                        assertThat(condition.getAsBoolean()).as(message.get()).isTrue());
    }

    private void report(String event) {
        Runtime runtime = Runtime.getRuntime();
        System.out.printf(
                "%6.1f s, %4d threads, %5d MiB in use: %s%n",
                (System.nanoTime() - began) / 1e9,
                Thread.activeCount(),
                (runtime.totalMemory() - runtime.freeMemory()) >> 20,
                event);
    }
}
