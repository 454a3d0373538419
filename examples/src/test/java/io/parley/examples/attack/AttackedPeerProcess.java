package io.parley.examples.attack;

import ch.qos.logback.classic.LoggerContext;
import io.netty.util.internal.PlatformDependent;
import io.parley.Peer;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
import io.parley.examples.console.LogConfigurator;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.testkit.ClockScheduler;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/**
 * A rendezvous in a process of its own, with default limits, except for the number of clients if a property sets it. It has a service that
 * releases each message, and one that keeps all messages, as an application does that does not read. It prints its address, and obeys
 * commands of one line each.
 */
final class AttackedPeerProcess {

    /** The service that releases each message. */
    static final ServiceAddress READ = ServiceAddress.of("read");

    /** The service that keeps each message. */
    static final ServiceAddress UNREAD = ServiceAddress.of("unread");

    /**
     * The command that prints the live heap after a full collection, the direct memory of Netty, and the resident memory of the
     * process (0 if the system does not report it), in bytes.
     */
    static final String MEMORY = "memory";

    /** The command that releases the messages of {@link #UNREAD}. */
    static final String RELEASE = "release";

    /** The command that searches for pipes by the pattern of a name, which follows it, and prints how many were found. */
    static final String SEARCH = "search ";

    private static final SearchOptions SEARCH_OPTIONS = SearchOptions.of(Duration.ofSeconds(10), 100);

    /** The system property with the address at which the peer listens. */
    static final String LISTEN = "parley.test.attacked.listen";

    /** The system property with the duration by which the clock of the peer is ahead. */
    static final String CLOCK_AHEAD = "parley.test.attacked.clock";

    /** The system property with the maximum number of clients. The default is that of a rendezvous. */
    static final String MAX_CLIENTS = "parley.test.attacked.clients";

    /** The command that sets the clock to the right time. */
    static final String SET_CLOCK = "clock";

    /** The clock of the peer. */
    private static final class WrongClock extends Clock {

        private final Clock right = Clock.systemUTC();
        private volatile Duration ahead;

        private WrongClock(Duration ahead) {
            this.ahead = ahead;
        }

        @Override
        public Instant instant() {
            return right.instant().plus(ahead);
        }

        @Override
        public ZoneId getZone() {
            return right.getZone();
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException("withZone");
        }
    }

    private final WrongClock clock = new WrongClock(Duration.parse(System.getProperty(CLOCK_AHEAD, "PT0S")));
    private final Queue<ReceivedMessage> unread = new ConcurrentLinkedQueue<>();

    private AttackedPeerProcess() {}

    /** Runs in the child process. */
    public static void main(String[] arguments) throws IOException {
        LoggerContext log = (LoggerContext) LoggerFactory.getILoggerFactory();
        log.reset();
        new LogConfigurator().configure(log);
        new AttackedPeerProcess().run();
    }

    private void run() throws IOException {
        try (Peer peer = Peer.builder()
                        .name("attacked")
                        .multicast(false)
                        .scheduler(new ClockScheduler(clock))
                        .actAsRendezvous()
                        .rendezvousLimits(AttackedPeerProcess::limitClients)
                        .listen(System.getProperty(LISTEN, "tcp://127.0.0.1:0"))
                        .start();
                BufferedReader commands =
                        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            Endpoint endpoint = peer.endpoint();
            endpoint.listen(READ, ReceivedMessage::release);
            endpoint.listen(UNREAD, unread::add);
            System.out.println(peer.address());
            for (String command; (command = commands.readLine()) != null; ) {
                System.out.println(execute(peer, command));
            }
        }
    }

    private static RendezvousLimits limitClients(RendezvousLimits limits) {
        int maxClients = Integer.getInteger(MAX_CLIENTS, limits.lease().maxClients());
        return limits.toBuilder()
                .lease(limits.lease().toBuilder().maxClients(maxClients).build())
                .build();
    }

    private String execute(Peer peer, String command) throws IOException {
        if (command.startsWith(SEARCH)) {
            return search(peer, command.substring(SEARCH.length()));
        }
        return switch (command) {
            case MEMORY -> memory();
            case RELEASE -> release();
            case SET_CLOCK -> {
                clock.ahead = Duration.ZERO;
                yield clock.instant().toString();
            }
            default -> throw new IllegalArgumentException("command: " + command);
        };
    }

    private static String search(Peer peer, String pattern) {
        DiscoveryQuery query = DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME).with("Name", pattern);
        return Integer.toString(
                peer.netGroup().discovery().find(query, SEARCH_OPTIONS).join().size());
    }

    private static String memory() throws IOException {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return (runtime.totalMemory() - runtime.freeMemory()) + " " + PlatformDependent.usedDirectMemory() + " "
                + residentBytes();
    }

    private static long residentBytes() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.isReadable(status)) {
            return 0;
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
                .sum();
    }

    private String release() {
        int count = 0;
        for (ReceivedMessage message; (message = unread.poll()) != null; count++) {
            message.release();
        }
        return count + " messages";
    }
}
