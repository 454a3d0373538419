package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.bench.worker.WorkerConsole;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.internal.IndexPage;
import io.parley.discovery.internal.RemoteIndex;
import io.parley.id.GroupId;
import io.parley.rendezvous.internal.RendezvousRole;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A process of many clients of one rendezvous, which all do the same at the same time.
 *
 * <pre>
 *   find MILLIS UNDER_WAY   each has so many questions under way; answered with how many have got their answer
 *   sign COUNT              makes so many advertisements for each
 *   publish                 those; answered with how many they were
 * </pre>
 */
public final class ClientsMain {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int RESULTS = 10;

    private final List<Peer> clients = new ArrayList<>();
    private final int advertisements;
    private List<List<SignedAdvertisement>> signed = List.of();
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
                case "sign" -> program.sign(Integer.parseInt(command[1]));
                case "publish" -> program.publish();
                default -> throw WorkerConsole.unknown(command);
            });
        });
    }

    private void connect(String rendezvous) {
        Peer client = Peer.loopback().rendezvous(rendezvous).start();
        client.whenOnline().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        clients.add(client);
    }

    private String find(long millis, int underWay) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        AtomicLong answered = new AtomicLong();
        List<QueryLoop> all = new ArrayList<>();
        for (Peer client : clients) {
            for (int i = 0; i < underWay; i++) {
                QueryLoop asking = new QueryLoop(((RendezvousRole) client.rendezvous()).index(), end, answered);
                all.add(asking);
                asking.ask();
            }
        }
        all.forEach(asking -> asking.done.join());
        return answered.toString();
    }

    private String sign(int count) {
        List<List<SignedAdvertisement>> all = new ArrayList<>();
        for (Peer client : clients) {
            all.add(ParleyHomeGenerator.signed(client.identity(), pipes, pipes + count));
            pipes += count;
        }
        signed = all;
        return "";
    }

    private String publish() {
        List<CompletableFuture<Void>> publishing = new ArrayList<>();
        long count = 0;
        for (int i = 0; i < clients.size(); i++) {
            publishing.add(
                    ((RendezvousRole) clients.get(i).rendezvous()).index().publish(GroupId.NET, signed.get(i)));
            count += signed.get(i).size();
        }
        CompletableFuture.allOf(publishing.toArray(CompletableFuture<?>[]::new)).join();
        return Long.toString(count);
    }

    /** Asks, and when there is the answer asks again. */
    private final class QueryLoop {

        private final RemoteIndex index;
        private final long end;
        private final AtomicLong answered;
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        private QueryLoop(RemoteIndex index, long end, AtomicLong answered) {
            this.index = index;
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
            index.find(
                            GroupId.NET,
                            DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME).with("Name", name),
                            0,
                            RESULTS,
                            PATIENCE)
                    .whenComplete((page, failure) -> onAnswer(name, page, failure));
        }

        private void onAnswer(String name, @Nullable IndexPage page, @Nullable Throwable failure) {
            if (failure != null) {
                done.completeExceptionally(failure);
            } else if (page == null || page.documents().isEmpty()) {
                done.completeExceptionally(new IllegalStateException(name + " was not found"));
            } else {
                answered.incrementAndGet();
                next();
            }
        }
    }
}
