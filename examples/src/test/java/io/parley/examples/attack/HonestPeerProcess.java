package io.parley.examples.attack;

import io.parley.Peer;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import io.parley.transport.PeerAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A peer in a process of its own that is connected to the attacked one, pings it and sends it messages all the time. In the process of
 * the attackers it would wait for their collections of garbage. It obeys commands of one line each.
 */
final class HonestPeerProcess {

    /** The command that waits for one further round. */
    static final String AWAIT = "await";

    /** The command that prints the number of rounds so far. */
    static final String ROUNDS = "rounds";

    /** The command that prints the times in nanoseconds since the last call, sorted, and then the failures. */
    static final String TIMES = "times";

    /** Separates the failures from the times, and from each other. */
    static final String FAILURE = "\t";

    private static final long PAUSE_MILLIS = 20;

    private final PeerId attacked;
    private final Duration timeout;
    private final List<Long> nanos = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private long rounds;

    private HonestPeerProcess(PeerId attacked, Duration timeout) {
        this.attacked = attacked;
        this.timeout = timeout;
    }

    /**
     * Runs in the child process.
     *
     * @param arguments the host from which the peer connects, the address of the attacked peer, the maximum time of a ping or a message
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        PeerAddress attacked = PeerAddress.parse(arguments[1]);
        InetSocketAddress target = new InetSocketAddress(
                attacked.addresses().get(0).host(), attacked.addresses().get(0).port());
        try (AddressForwarder forwarder = new AddressForwarder(arguments[0], target);
                Peer peer = Peer.builder().name("honest").multicast(false).start();
                BufferedReader commands =
                        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            peer.addPeerAddress(attacked.peer(), "tcp://127.0.0.1:" + forwarder.port());
            Eventually.get(peer.endpoint().connect(attacked.peer()), "the connection of the honest peer");
            HonestPeerProcess process = new HonestPeerProcess(attacked.peer(), Duration.parse(arguments[2]));
            Thread rounds = new Thread(() -> process.run(peer), "honest peer");
            rounds.setDaemon(true);
            rounds.start();
            System.out.println("connected");
            for (String command; (command = commands.readLine()) != null; ) {
                System.out.println(process.execute(command));
            }
        }
    }

    private String execute(String command) throws InterruptedException {
        return switch (command) {
            case ROUNDS -> Long.toString(rounds());
            case TIMES -> takeTimes();
            default -> awaitRound();
        };
    }

    private synchronized long rounds() {
        return rounds;
    }

    private synchronized String awaitRound() throws InterruptedException {
        long before = rounds;
        while (rounds == before) {
            wait(); // the other process has a deadline
        }
        return "done";
    }

    private synchronized String takeTimes() {
        StringBuilder text = new StringBuilder();
        nanos.stream().sorted().forEach(time -> text.append(time).append(' '));
        failures.forEach(failure -> text.append(FAILURE).append(failure.replaceAll("\\s+", " ")));
        nanos.clear();
        failures.clear();
        return text.toString();
    }

    private void run(Peer peer) {
        try {
            while (true) {
                await("ping", peer.endpoint().ping(attacked));
                await("message", peer.endpoint().send(attacked, AttackedPeerProcess.READ, Message.of("text", "hello")));
                synchronized (this) {
                    rounds++;
                    notifyAll();
                }
                Thread.sleep(PAUSE_MILLIS); // the load of an ordinary peer, not a delay instead of a check
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void await(String what, Future<?> future) throws InterruptedException {
        long start = System.nanoTime();
        String failure = null;
        try {
            future.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            failure = what + ": " + e.getCause();
        } catch (TimeoutException e) {
            failure = what + ": not within " + timeout;
        }
        synchronized (this) {
            nanos.add(System.nanoTime() - start);
            if (failure != null) {
                failures.add(failure);
            }
        }
    }
}
