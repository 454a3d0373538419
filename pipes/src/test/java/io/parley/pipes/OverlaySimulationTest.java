package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.internal.IndexPage;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.testkit.Eventually;
import io.parley.testkit.LeakSamplingScope;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
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
 * A whole overlay in one JVM: everybody finds what everybody publishes, some rendezvous go without a word, everybody finds it
 * again, and nothing is left when all have closed. The figures it prints are what {@code .ci/campaign-overlay} is run for.
 */
class OverlaySimulationTest {

    /** How long a phase may take on a busy machine; costs nothing where the test passes. */
    private static final Duration PATIENCE = Duration.ofMinutes(8);

    /** Rendezvous asked for one look-up, the edge's own among them: the first of the others has it, or the next one. */
    private static final int MAX_ASKED = 3;

    /** The same when nobody has it, so that all who should are asked. */
    private static final int MAX_ASKED_IN_VAIN = 1 + RendezvousLimits.IndexLimits.DEFAULTS.replicas();

    /** How long replicas may take to come to all who should have them. */
    private static final Duration SETTLING = Duration.ofSeconds(30);

    /** Look-ups that are made one by one, to see how many are asked for each. */
    private static final int ONE_BY_ONE = 25;

    /** Look-ups that are under way at a time. */
    private static final int AT_A_TIME = 50;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private final long began = System.nanoTime();
    private final List<WeakReference<Peer>> everybody = new ArrayList<>();

    @Test
    @Timeout(120)
    void overlay_ofAHundredEdges_survivesItsRendezvous() {
        simulate(5, 100, 1, 200);
    }

    @Tag("slow")
    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void overlay_ofTwoThousandEdges_survivesItsRendezvous() {
        try (LeakSamplingScope sampling = new LeakSamplingScope()) {
            simulate(20, 2000, 5, 500);
        }
    }

    private void simulate(int rendezvous, int edges, int vanishing, int samples) {
        say("seed " + seed);
        Set<Thread> before = ownThreads();
        Queue<Throwable> uncaught = new ConcurrentLinkedQueue<>();
        Thread.UncaughtExceptionHandler usual = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> uncaught.add(failure));
        try {
            run(rendezvous, edges, vanishing, samples);
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(usual);
        }
        assertThat(uncaught).isEmpty();
        await(() -> "threads are left: " + left(before), () -> left(before).isEmpty());
        await(
                () -> "peers are held on to: "
                        + everybody.stream().filter(peer -> peer.get() != null).count(),
                () -> {
                    System.gc();
                    return everybody.stream().allMatch(peer -> peer.get() == null);
                });
        say("after the end");
    }

    /** In a method of its own, so that nothing here holds on to a peer afterwards. */
    private void run(int rendezvous, int edges, int vanishing, int samples) {
        SimulatedOverlay overlay = new SimulatedOverlay();
        try {
            overlay.startRendezvous(rendezvous);
            await(
                    () -> "rendezvous know each other: " + viewSizes(overlay),
                    () -> overlay.rendezvous().stream()
                            .allMatch(peer -> peer.rendezvous().rendezvous().size() == rendezvous - 1));
            say(rendezvous + " rendezvous know each other");
            overlay.startEdges(edges);
            say(edges + " edges started");
            await(
                    () -> withoutRendezvous(overlay) + " edges have no rendezvous",
                    () -> withoutRendezvous(overlay) == 0);
            say("all edges have a rendezvous");
            lookUp(overlay, samples);
            say(samples + " look-ups");

            overlay.vanish(vanishing);
            say(vanishing + " rendezvous vanished");
            Set<PeerId> alive = overlay.aliveRendezvous().stream().map(Peer::id).collect(Collectors.toSet());
            Awaitility.await("all edges have a rendezvous that is alive, within two leases")
                    .atMost(SimulatedOverlay.LEASE.multipliedBy(2))
                    .until(() -> overlay.edges().stream().allMatch(edge -> has(edge, alive)));
            say("all edges have a rendezvous again");
            lookUp(overlay, samples);
            say(samples + " look-ups");
        } finally {
            List<Peer> all = new ArrayList<>(overlay.rendezvous());
            all.addAll(overlay.edges());
            all.forEach(peer -> everybody.add(new WeakReference<>(peer)));
            CompletableFuture<Void> closed = overlay.closeAsync();
            await(() -> "not all have closed", closed::isDone);
            assertThat(all).allMatch(peer -> peer.endpoint().connectedPeers().isEmpty());
            say("all have closed");
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

    /** Random edges look for the pipes of random others until they find them: what was published just now is on its way. */
    private void lookUp(SimulatedOverlay overlay, int samples) {
        int again = 0;
        long forwardedBefore = overlay.forwarded();
        List<Integer> askers =
                random.ints(samples, 0, overlay.edges().size()).boxed().toList();
        List<Integer> holders =
                random.ints(samples, 0, overlay.edges().size()).boxed().toList();
        for (int from = 0; from < samples; from += AT_A_TIME) {
            int to = Math.min(samples, from + AT_A_TIME);
            List<CompletableFuture<IndexPage>> pages = new ArrayList<>();
            for (int i = from; i < to; i++) {
                pages.add(overlay.lookUp(askers.get(i), holders.get(i)));
            }
            for (int i = from; i < to; i++) {
                IndexPage page = pageOrNothing(pages.get(i - from));
                while (page.documents().isEmpty()) {
                    again++;
                    assertThat(System.nanoTime() - began).as("look-ups in time").isLessThan(PATIENCE.toNanos());
                    page = pageOrNothing(overlay.lookUp(askers.get(i), holders.get(i)));
                }
            }
        }
        double asked = 1 + (double) (overlay.forwarded() - forwardedBefore) / (samples + again);
        assertThat(asked).isBetween(1.0, (double) MAX_ASKED_IN_VAIN);
        long most = Awaitility.await("at most " + MAX_ASKED + " rendezvous are asked for a look-up")
                .atMost(SETTLING)
                .pollInSameThread()
                .until(() -> mostAsked(overlay, askers, holders), asking -> asking <= MAX_ASKED);
        say("rendezvous asked: " + asked + " on average, at most " + most + " when settled; " + again + " asked again");
        List<CompletableFuture<List<SignedAdvertisement>>> found = new ArrayList<>();
        for (int i = 0; i < Math.min(samples, AT_A_TIME); i++) {
            found.add(overlay.find(askers.get(i), holders.get(i)));
        }
        for (int i = 0; i < found.size(); i++) {
            PeerId holder = overlay.edges().get(holders.get(i)).id();
            assertThat(Eventually.get(found.get(i), "a search"))
                    .singleElement()
                    .satisfies(signed -> assertThat(signed.publisher()).isEqualTo(holder));
        }
    }

    /** How many rendezvous were asked for one look-up. */
    private static long mostAsked(SimulatedOverlay overlay, List<Integer> askers, List<Integer> holders) {
        long most = 0;
        for (int i = 0; i < ONE_BY_ONE; i++) {
            long before = overlay.forwarded();
            pageOrNothing(overlay.lookUp(askers.get(i), holders.get(i)));
            most = Math.max(most, 1 + overlay.forwarded() - before);
        }
        return most;
    }

    private static IndexPage pageOrNothing(CompletableFuture<IndexPage> looking) {
        return Eventually.get(
                looking.exceptionally(failure -> new IndexPage(List.of(), OptionalInt.empty(), 0)), "a look-up");
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
                .atMost(PATIENCE)
                .pollInSameThread()
                .untilAsserted(() ->
                        assertThat(condition.getAsBoolean()).as(message.get()).isTrue());
    }

    private void say(String what) {
        Runtime runtime = Runtime.getRuntime();
        System.out.printf(
                "%6.1f s, %4d threads, %5d MiB in use: %s%n",
                (System.nanoTime() - began) / 1e9,
                Thread.activeCount(),
                (runtime.totalMemory() - runtime.freeMemory()) >> 20,
                what);
    }
}
