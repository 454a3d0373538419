package io.parley.examples.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.examples.attack.AttackClient.Greeting;
import io.parley.testkit.Eventually;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * An attack from all addresses of one IPv6 network of 64 bits, as a host with such a network can do it. Needs a system on which all
 * addresses of {@link #NETWORK} are local.
 */
final class Ipv6AttackProcess {

    /** The network whose addresses the attackers, the honest peers and the attacked one have. */
    static final String NETWORK = "fd70:6172::/32";

    private static final String PREFIX = "fd70:6172:";
    private static final int SOCKETS = 500;
    private static final int DIALS = 12;

    private Ipv6AttackProcess() {}

    /** Runs in the child process. The argument is a directory for the log of the attacked peer. */
    public static void main(String[] arguments) throws Exception {
        Path directory = Files.createDirectories(Path.of(arguments[0]));
        String listen = "-D" + AttackedPeerProcess.LISTEN + "=tcp://[" + PREFIX + ":1]:0";
        try (AttackedPeer attacked = AttackedPeer.start(directory, listen);
                AttackNet net = new AttackNet(attacked.socketAddress())) {
            for (int i = 0; i < SOCKETS; i++) {
                net.socket(PREFIX + "1:1::" + Integer.toHexString(i + 1));
            }
            List<CompletableFuture<AttackClient>> dials = IntStream.rangeClosed(1, DIALS)
                    .mapToObj(i -> net.tryConnect(PREFIX + Integer.toHexString(i + 0x100) + "::1", Greeting.USUAL))
                    .toList();
            dials.forEach(dial -> Eventually.until(() -> "no end of a dial", dial::isDone));
            assertThat(dials)
                    .filteredOn(dial -> !dial.isCompletedExceptionally())
                    .hasSizeGreaterThanOrEqualTo(DIALS - 1);
        }
    }
}
