package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.bench.worker.CpuTimeCounter;
import io.parley.bench.worker.ProcessMemory;
import io.parley.bench.worker.WorkerConsole;
import io.parley.endpoint.ServiceAddress;
import io.parley.group.MemberView;
import io.parley.group.PeerGroup;
import io.parley.message.Message;
import io.parley.transport.memory.InMemoryNetwork;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process with a rendezvous and the members of one group, on a network in memory.
 *
 * <pre>
 *   members COUNT       starts members until COUNT are in the group and connected with each other
 *   memory              responds with the memory after a full collection
 *   idle MILLIS         responds with the {@link Cost} of that time
 *   cycles COUNT        one more member joins and leaves COUNT times; responds with the cost of all
 *   groupcast COUNT BYTES   sends messages one by one to all members; responds with the nanoseconds until the last member has each
 * </pre>
 */
public final class GroupMain {

    private static final ServiceAddress SERVICE = ServiceAddress.of("bench");
    private static final String GROUP = "bench";
    private static final long TIMEOUT_SECONDS = 120;

    /** The time between two looks whether all members are connected with each other. */
    private static final long POLL_MILLIS = 20;

    /** The number of members that join at the same time. */
    private static final int JOINING = 32;

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final Peer rendezvous = start("rendezvous", true);
    private final List<Peer> peers = new ArrayList<>();
    private final List<MemberView> views = new ArrayList<>();
    private final Semaphore received = new Semaphore(0);

    private GroupMain() {}

    /**
     * The processor time and the messages of the whole process.
     *
     * @param cpuNanos processor time
     * @param messages messages that endpoints have sent
     * @param bytes    their bytes
     */
    public record Cost(long cpuNanos, long messages, long bytes) {

        /** Parses the response. */
        public static Cost parse(String text) {
            String[] numbers = text.split(" ");
            return new Cost(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2]));
        }

        private Cost minus(Cost before) {
            return new Cost(cpuNanos - before.cpuNanos, messages - before.messages, bytes - before.bytes);
        }

        private String toText() {
            return cpuNanos + " " + messages + " " + bytes;
        }
    }

    /** Runs until standard input ends. */
    public static void main(String[] args) {
        WorkerConsole console = WorkerConsole.take();
        console.runAndHalt(() -> {
            GroupMain program = new GroupMain();
            console.ready(0, "", "");
            console.obey(command -> switch (command[0]) {
                case "members" -> program.members(Integer.parseInt(command[1]));
                case "memory" -> ProcessMemory.measure().toText();
                case "idle" -> program.idle(Long.parseLong(command[1]));
                case "cycles" -> program.cycles(Integer.parseInt(command[1]));
                case "groupcast" -> program.groupcast(Integer.parseInt(command[1]), Integer.parseInt(command[2]));
                default -> throw WorkerConsole.unknown(command);
            });
        });
    }

    private Peer start(String name, boolean asRendezvous) {
        var builder = Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .multicast(false)
                .limits(limits -> limits.toBuilder().maxConnections(16_384).build())
                .rendezvousLimits(limits -> limits.toBuilder()
                        .lease(limits.lease().toBuilder().maxClients(16_384).build())
                        .build())
                .listen("mem://" + name);
        return (asRendezvous ? builder.actAsRendezvous() : builder.rendezvous("mem://rendezvous")).start();
    }

    private String members(int count) throws Exception {
        while (views.size() < count) {
            int first = views.size();
            for (int i = first; i < Math.min(count, first + JOINING); i++) {
                Peer peer = start("member-" + i, false);
                peers.add(peer);
                MemberView view = peer.group(GROUP).join().members();
                view.listen(SERVICE, (sender, message) -> received.release());
                views.add(view);
            }
            for (MemberView view : views.subList(first, views.size())) {
                view.whenConnected().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            }
        }
        awaitConnected();
        return "";
    }

    private void awaitConnected() throws InterruptedException, TimeoutException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (!isConnected()) {
            if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException("the members are not connected with each other");
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    private boolean isConnected() {
        Map<Object, MemberView> byPeer = new HashMap<>();
        for (int i = 0; i < views.size(); i++) {
            byPeer.put(peers.get(i).id(), views.get(i));
        }
        Set<Object> reached = new HashSet<>();
        List<Object> next = new ArrayList<>(List.of(peers.get(0).id()));
        while (!next.isEmpty()) {
            Object peer = next.remove(next.size() - 1);
            MemberView view = byPeer.get(peer);
            if (view != null && reached.add(peer)) {
                next.addAll(view.neighbors());
            }
        }
        return reached.size() == views.size();
    }

    private Cost cost() {
        long messages = 0;
        long bytes = 0;
        for (Peer peer : peers) {
            messages += count(peer, "parley.endpoint.messages.sent");
            bytes += count(peer, "parley.endpoint.message.bytes.sent");
        }
        messages += count(rendezvous, "parley.endpoint.messages.sent");
        bytes += count(rendezvous, "parley.endpoint.message.bytes.sent");
        return new Cost(CpuTimeCounter.nanosSoFar(), messages, bytes);
    }

    private static long count(Peer peer, String counter) {
        return peer.metrics().getOrDefault(counter, 0L);
    }

    private String idle(long millis) throws InterruptedException {
        Cost before = cost();
        TimeUnit.MILLISECONDS.sleep(millis);
        return cost().minus(before).toText();
    }

    private String cycles(int count) throws Exception {
        Peer peer = start("guest", false);
        peers.add(peer); // so that its messages count
        try {
            PeerGroup group = peer.group(GROUP).join();
            group.whenOnline().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            Cost before = cost();
            for (int i = 0; i < count; i++) {
                MemberView view = group.members();
                view.whenConnected().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
                view.close();
            }
            return cost().minus(before).toText();
        } finally {
            peers.remove(peer);
            peer.close();
        }
    }

    private String groupcast(int count, int bytes) throws Exception {
        Message message = Message.of("payload", new byte[bytes]);
        StringBuilder nanos = new StringBuilder();
        for (int i = 0; i < count; i++) {
            received.drainPermits();
            long start = System.nanoTime();
            views.get(0).groupcast(SERVICE, message);
            if (!received.tryAcquire(views.size() - 1, TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new TimeoutException(received.availablePermits() + " members have the message (expected: "
                        + (views.size() - 1) + ")");
            }
            nanos.append(System.nanoTime() - start).append(' ');
        }
        return nanos.toString().strip();
    }
}
