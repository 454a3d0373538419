package io.parley.examples.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.examples.attack.AttackClient.Greeting;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.testkit.Eventually;
import io.parley.testkit.LoopbackNetwork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The attacked peer of a test class, with an honest peer that uses it all the time, and the connections of the attackers of each test.
 * After each test, while the attackers are still connected, it requires that the honest peer was served and that the live objects of the
 * attacked one are within their bound.
 */
final class AttackScene implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback {

    /** Whether the attacks have the size and the time of the campaign. */
    static final boolean LONG = Boolean.getBoolean("parley.test.attacks");

    /** The maximum number of clients of the attacked peer. The campaign has the default. */
    static final int MAX_CLIENTS = size(200, RendezvousLimits.LeaseLimits.DEFAULTS.maxClients());

    private static final String HONEST_HOST = "127.0.9.1";

    /** The campaign accepts this time for 99 % of the pings and messages of the honest peer, or three times the undisturbed one. */
    private static final Duration ACCEPTED = Duration.ofMillis(50);

    private Path directory;
    /** The rounds of the honest peer during an attack of the campaign: a percentile of fewer times is their maximum. */
    private static final int SUSTAINED_ROUNDS = 250;

    private AttackedPeer attacked;
    private HonestPeer honest;
    private Duration undisturbed;
    private AttackNet net;
    private int logLength;

    /** Returns the number for the campaign, or the usual one. */
    static int size(int usual, int campaign) {
        return LONG ? campaign : usual;
    }

    /**
     * Returns the command of a process that stands for a machine of its own. In the campaign, whose attackers have one processor and
     * whose attacked peer has the other, it may use both, and comes before them: otherwise its times would include the load of the
     * attackers. The priority needs a right, such as that of root.
     */
    static List<String> asOnAMachineOfItsOwn(List<String> command) {
        Integer processor = Integer.getInteger(AttackedPeer.PROCESSOR);
        if (processor == null) {
            return command;
        }
        List<String> prefix = new ArrayList<>(List.of("taskset", "-c", "0-" + processor));
        List<String> priority = List.of("chrt", "--rr", "1");
        if (succeeds(Stream.concat(priority.stream(), Stream.of("true")).toList())) {
            prefix.addAll(priority);
        } else {
            print("the honest peer may not come before the attackers; its times include their load");
        }
        prefix.addAll(command);
        return prefix;
    }

    private static boolean succeeds(List<String> command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getInputStream().readAllBytes();
            return process.onExit().join().exitValue() == 0;
        } catch (IOException e) {
            return false; // the program is not installed
        }
    }

    static void print(String figures) {
        System.out.println("attack, " + figures);
    }

    AttackedPeer attacked() {
        return attacked;
    }

    HonestPeer honest() {
        return honest;
    }

    AttackNet net() {
        return net;
    }

    /**
     * Runs an attack. In the campaign it is repeated until the honest peer was served for some time; connections and messages of the
     * attack before are closed and released then.
     */
    void sustain(Runnable attack) {
        long end = honest.rounds() + SUSTAINED_ROUNDS;
        attack.run();
        while (LONG && honest.rounds() < end) {
            net.close();
            attacked.release();
            net = new AttackNet(attacked.socketAddress());
            attack.run();
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        LoopbackNetwork.assumeAvailable();
        directory = Files.createTempDirectory("parley-attack");
        attacked = AttackedPeer.start(directory, "-D" + AttackedPeerProcess.MAX_CLIENTS + "=" + MAX_CLIENTS);
        honest = new HonestPeer(HONEST_HOST, attacked);
        honest.awaitRounds(size(10, 500));
        HonestPeer.Times times = honest.assertServed();
        undisturbed = times.p99();
        print("undisturbed: " + times);
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        if (honest != null) { // a start that was given up
            honest.close();
        }
        if (attacked != null) {
            attacked.close();
            attacked.deleteLog();
        }
        if (directory != null) {
            Files.delete(directory);
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        net = new AttackNet(attacked.socketAddress());
        logLength = attacked.log().length();
        honest.assertServed(); // the times of the test begin here
    }

    @Override
    public void afterEach(ExtensionContext context) {
        try {
            HonestPeer.Times times = honest.assertServed();
            AttackedPeer.Memory memory = attacked.memory();
            print(context.getRequiredTestMethod().getName() + " " + context.getDisplayName() + ": " + times + ", "
                    + memory);
            honest.assertServed();
            assertThat(attacked.isAlive()).isTrue();
            assertThat(attacked.log().substring(logLength)).doesNotContain("OutOfMemory");
            assertThat(memory.live()).isLessThanOrEqualTo(AttackedPeer.MAX_LIVE_BYTES);
            if (LONG) {
                Duration maximum =
                        ACCEPTED.compareTo(undisturbed.multipliedBy(3)) > 0 ? ACCEPTED : undisturbed.multipliedBy(3);
                assertThat(times.p99()).isLessThanOrEqualTo(maximum);
            }
        } finally {
            net.close();
            attacked.release();
        }
    }

    /** Returns a connection with a lease. */
    AttackClient leased(String from) {
        AttackClient client = net.connect(from, Greeting.USUAL);
        assertThat(Eventually.get(ResolverQueries.lease(client), "a lease")).isPositive();
        return client;
    }
}
