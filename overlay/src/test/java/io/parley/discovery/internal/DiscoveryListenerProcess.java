package io.parley.discovery.internal;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.discovery.Discovery;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.testkit.ConfirmationProcess;
import io.parley.testkit.Eventually;
import io.parley.transport.memory.InMemoryNetwork;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A process with a peer that publishes and receives advertisements until it is killed. It prints the number of received
 * advertisements that were confirmed to be on disk.
 */
final class DiscoveryListenerProcess {

    private static final int PER_FLUSH = 5;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private DiscoveryListenerProcess() {}

    /** @param first number of the first advertisement that it receives */
    static ConfirmationProcess start(Path home, int first) throws IOException {
        return ConfirmationProcess.start(
                DiscoveryListenerProcess.class, first, home.toString(), Integer.toString(first));
    }

    /** Returns the query for the advertisement with a number. */
    static DiscoveryQuery query(int number) {
        return DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME)
                .with("Id", pipe(number, "").id().urn());
    }

    private static PipeAdvertisement pipe(int number, String name) {
        return PipeAdvertisement.of(PipeId.ofName(GroupId.NET, "received " + number), PipeType.UNICAST, name);
    }

    /** Runs in the child process. */
    public static void main(String[] arguments) {
        InMemoryNetwork network = new InMemoryNetwork(2);
        Peer bob = start(Peer.builder(), "bob", network);
        Peer alice = start(Peer.builder().home(Path.of(arguments[0])), "alice", network);
        Discovery discovery = alice.netGroup().discovery();
        int next = Integer.parseInt(arguments[1]);
        while (true) {
            int first = next;
            String batch =
                    "batch " + first + " of process " + ProcessHandle.current().pid();
            DiscoveryQuery query =
                    DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME).with("Name", batch);
            for (; next < first + PER_FLUSH; next++) {
                bob.netGroup().discovery().publish(pipe(next, batch));
                discovery.publish(
                        PipeAdvertisement.of(PipeId.ofName(GroupId.NET, "own " + next), PipeType.UNICAST, "own"));
            }
            SearchOptions options = SearchOptions.of(TIMEOUT, PER_FLUSH);
            while (Eventually.get(discovery.find(query, options), "search").size() < PER_FLUSH) {
                Thread.onSpinWait();
            }
            Eventually.get(discovery.flush(), "flush");
            System.out.println(next);
        }
    }

    private static Peer start(PeerBuilder builder, String name, InMemoryNetwork network) {
        return builder.name(name)
                .transport(network.transportProvider())
                .propagationTransport(network.propagationProvider())
                .listen("mem://" + name)
                .start();
    }
}
