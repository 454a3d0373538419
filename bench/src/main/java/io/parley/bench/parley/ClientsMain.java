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
 * A process with many clients of one rendezvous, which all do the same at the same time.
 *
 * <pre>
 *   find MILLIS UNDER_WAY   each client has UNDER_WAY pending searches; responds with the number of completed ones
 *   publish COUNT           each client publishes COUNT pipes; responds with the number of all published pipes
 * </pre>
 */
public final class ClientsMain {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final List<Peer> clients = new ArrayList<>();
    private final int advertisements;
    private final Executor executor = task -> new Thread(task, "publisher").start();
    private int pipes;

    private ClientsMain(int advertisements) {
        this.advertisements = advertisements;
        this.pipes = advertisements;
    }

    /**
     * Connects the clients and runs until standard input ends.
     *
     * @param args the address of the rendezvous, the number of its advertisements and the number of clients
     */
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
        client.whenOnline().orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
        clients.add(client);
    }

    private String find(long millis, int pending) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        AtomicLong completed = new AtomicLong();
        List<QueryLoop> all = new ArrayList<>();
        for (Peer client : clients) {
            for (int i = 0; i < pending; i++) {
                QueryLoop loop = new QueryLoop(client.netGroup().discovery(), end, completed);
                all.add(loop);
                loop.search();
            }
        }
        all.forEach(loop -> loop.done.join());
        return completed.toString();
    }

    private String publish(int count) {
        List<CompletableFuture<Void>> publications = new ArrayList<>();
        for (Peer client : clients) {
            int from = pipes;
            pipes += count;
            publications.add(CompletableFuture.runAsync(
                    () -> ParleyHomeGenerator.publish(client, from, from + count), executor));
        }
        CompletableFuture.allOf(publications.toArray(CompletableFuture<?>[]::new))
                .join();
        return Long.toString((long) count * clients.size());
    }

    /** Searches for random pipes, one after another. */
    private final class QueryLoop {

        private final Discovery discovery;
        private final long end;
        private final AtomicLong completed;
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        private QueryLoop(Discovery discovery, long end, AtomicLong completed) {
            this.discovery = discovery;
            this.end = end;
            this.completed = completed;
        }

        private void next() {
            if (System.nanoTime() >= end) {
                done.complete(null);
            } else {
                search();
            }
        }

        private void search() {
            String name = ParleyHomeGenerator.pipe(ThreadLocalRandom.current().nextInt(advertisements));
            discovery
                    .find(
                            DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME).with("Name", name),
                            SearchOptions.of(TIMEOUT, 1).withScope(SearchOptions.Scope.LOCAL_AND_REMOTE))
                    .whenComplete((found, failure) -> onResponse(name, found, failure));
        }

        private void onResponse(String name, @Nullable List<SignedAdvertisement> found, @Nullable Throwable failure) {
            if (failure != null) {
                done.completeExceptionally(failure);
            } else if (found == null || found.isEmpty()) {
                done.completeExceptionally(new IllegalStateException(name + ": not found at the rendezvous"));
            } else {
                completed.incrementAndGet();
                next();
            }
        }
    }
}
