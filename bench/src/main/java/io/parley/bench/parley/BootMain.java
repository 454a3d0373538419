package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.bench.worker.WorkerConsole;
import io.parley.discovery.Discovery;
import io.parley.discovery.DiscoveryQuery;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

/**
 * A process that starts peers whose homes hold advertisements of other peers, and searches for some of them.
 *
 * <pre>
 *   fill HOME ADVERTISEMENTS
 *   start HOME                        responds with nanoseconds: until start returns; until a local search returns
 *   look HOME ADVERTISEMENTS TIMES    responds with nanoseconds: p50, p90, p99
 * </pre>
 */
public final class BootMain {

    private static final int[] PERCENTS = {50, 90, 99};

    private BootMain() {}

    /** Runs until standard input ends. */
    public static void main(String[] args) {
        WorkerConsole console = WorkerConsole.take();
        console.runAndHalt(() -> {
            console.ready(0, "-", "");
            console.obey(command -> switch (command[0]) {
                case "fill" -> {
                    ParleyHomeGenerator.fill(Path.of(command[1]), Integer.parseInt(command[2]));
                    yield "";
                }
                case "start" -> start(Path.of(command[1]));
                case "look" -> look(Path.of(command[1]), Integer.parseInt(command[2]), Integer.parseInt(command[3]));
                default -> throw WorkerConsole.unknown(command);
            });
        });
    }

    private static PeerBuilder builder(Path home) {
        return Peer.loopback().home(home);
    }

    private static String start(Path home) {
        long start = System.nanoTime();
        Peer peer = builder(home).start();
        long started = System.nanoTime();
        peer.netGroup().discovery().findLocal(byName(ParleyHomeGenerator.pipe(0)), 1);
        long searched = System.nanoTime();
        peer.close();
        return (started - start) + " " + (searched - start);
    }

    private static DiscoveryQuery byName(String name) {
        return DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME).with("Name", name);
    }

    private static String look(Path home, int advertisements, int times) {
        Random random = new Random(1);
        long[] nanos = new long[times];
        try (Peer peer = builder(home).start()) {
            Discovery discovery = peer.netGroup().discovery();
            for (int i = 0; i < times; i++) {
                DiscoveryQuery query = byName(ParleyHomeGenerator.pipe(random.nextInt(advertisements)));
                long start = System.nanoTime();
                int found = discovery.findLocal(query, 10).size();
                nanos[i] = System.nanoTime() - start;
                if (found != 1) {
                    throw new IllegalStateException(query + ": " + found + " results (expected: 1)");
                }
            }
        }
        Arrays.sort(nanos);
        return String.join(
                " ",
                Arrays.stream(PERCENTS)
                        .mapToObj(percent -> Long.toString(nanos[(times - 1) * percent / 100]))
                        .toList());
    }
}
