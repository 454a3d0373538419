package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.bench.worker.WorkerConsole;
import io.parley.discovery.Discovery;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A process of many clients of one rendezvous, which all do the same at the same time.
 *
 * <pre>
 *   find MILLIS UNDER_WAY   each has so many questions under way; answered with how many have got their answer
 *   publish COUNT           each publishes so many pipes; answered with how many they were in all
 * </pre>
 */
public final class ClientsMain {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final List<Peer> clients = new ArrayList<>();
    private final int advertisements;
    private final Executor executor = task -> new Thread(task, "publisher").start();
    private int pipes;

    private ClientsMain(int advertisements) {
        this.advertisements = advertisements;
        this.pipes = advertisements;
    }

    /** Takes the address of the rendezvous, how many advertisements that has, and how many clients there shall be. */
    public static void main(String[] args) {
        WorkerConsole console = WorkerConsole.take();
        console.runAndHalt(() -> {
            ClientsMain program = new ClientsMain(Integer.parseInt(args[1]));
            for (int i = 0; i < Integer.parseInt(args[2]); i++) {
                program.connect(args[0]);
            }
            console.ready(0, "-", "");
            console.obey(command -> switch (command[0]) {
                case "find" -> program.find(Long.parseLong(command[1]), Integer.parseInt(command[2]));
                case "publish" -> program.publish(Integer.parseInt(command[1]));
                default -> throw WorkerConsole.unknown(command);
            });
        });
    }

    private void connect(String rendezvous) {
        Peer client = Peer.loopback()
                .rendezvous(rendezvous)
                .discoveryLimits(ParleyHomeGenerator.DISCOVERY_LIMITS)
                .start();
        client.whenOnline().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        clients.add(client);
    }

    private String find(long millis, int underWay) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        AtomicLong answered = new AtomicLong();
        List<QueryLoop> all = new ArrayList<>();
        for (Peer client : clients) {
            for (int i = 0; i < underWay; i++) {
                QueryLoop asking = new QueryLoop(client.netGroup().discovery(), end, answered);
                all.add(asking);
                asking.ask();
            }
        }
        all.forEach(asking -> asking.done.join());
        return answered.toString();
    }

    private String publish(int count) {
        List<CompletableFuture<Void>> publishing = new ArrayList<>();
        for (Peer client : clients) {
            int from = pipes;
            pipes += count;
            publishing.add(CompletableFuture.runAsync(
                    () -> ParleyHomeGenerator.publish(client, from, from + count), executor));
        }
        CompletableFuture.allOf(publishing.toArray(CompletableFuture<?>[]::new)).join();
        return Long.toString((long) count * clients.size());
    }

    /** Asks, and when there is the answer asks again. */
    private final class QueryLoop {

        private final Discovery discovery;
        private final long end;
        private final AtomicLong answered;
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        private QueryLoop(Discovery discovery, long end, AtomicLong answered) {
            this.discovery = discovery;
            this.end = end;
            this.answered = answered;
        }

        private void next() {
            if (System.nanoTime() >= end) {
                done.complete(null);
            } else {
                ask();
            }
        }

        private void ask() {
            String name = ParleyHomeGenerator.pipe(ThreadLocalRandom.current().nextInt(advertisements));
            discovery
                    .find(
                            DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME).with("Name", name),
                            SearchOptions.of(PATIENCE, 1).withScope(SearchOptions.Scope.LOCAL_AND_REMOTE))
                    .whenComplete((found, failure) -> onResponse(name, found, failure));
        }

        private void onResponse(String name, @Nullable List<SignedAdvertisement> found, @Nullable Throwable failure) {
            if (failure != null) {
                done.completeExceptionally(failure);
            } else if (found == null || found.isEmpty()) {
                done.completeExceptionally(new IllegalStateException(name + " was not found"));
            } else {
                answered.incrementAndGet();
                next();
            }
        }
    }
}
