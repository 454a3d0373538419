package io.parley.examples;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.examples.console.FailureFormatter;
import io.parley.examples.console.Futures;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.console.UsageException;
import io.parley.examples.search.PeerFinder;
import io.parley.id.PeerId;
import io.parley.pipes.PipeTicket;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.LongSummaryStatistics;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures round trips to a peer. */
@Command(
        name = "ping",
        description = {
            "Measure round trips to a peer.",
            "The round trips use the encrypted connection that messages use. Exit code 1: at least one was lost."
        },
        mixinStandardHelpOptions = true)
final class PingCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private GuestOptions guest = new GuestOptions();

    @Mixin
    private GroupOption group = new GroupOption();

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            defaultValue = "4",
            description = "Number of round trips. Default: ${DEFAULT-VALUE}")
    private int count;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "Interval between round trips. Default: ${DEFAULT-VALUE}")
    private double intervalSeconds;

    @Parameters(
            paramLabel = "PEER",
            description = "Name or id of a peer, a ticket, or a peer address: ID@tcp://host:port")
    private String target = "";

    @Override
    public Integer call() throws InterruptedException {
        Console console = common.console();
        if (count < 1) {
            throw new UsageException("--count is " + count + ". Use 1 or more.");
        }
        boolean isAddress = GuestOptions.isTicket(target);
        PeerAddress address = isAddress ? address(target) : null;
        try (Peer peer = ShutdownSignal.closing(guest.start(target))) {
            PeerId other = address == null ? find(peer) : connect(peer, address);
            LongSummaryStatistics nanos = measure(console, peer, other, isAddress ? other.shortText() : target.strip());
            printSummary(console, other, isRelayed(peer, other), nanos);
            return nanos.getCount() == count ? 0 : 1;
        }
    }

    private static PeerAddress address(String text) {
        String stripped = text.strip();
        int at = stripped.indexOf('@');
        String id = at < 0 ? stripped : stripped.substring(0, at);
        try {
            boolean urn = id.regionMatches(true, 0, "urn:", 0, 4);
            return id.indexOf(':') >= 0 && !urn ? PipeTicket.parse(stripped).holder() : PeerAddress.parse(stripped);
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    "Neither a ticket nor a peer address: " + e.getMessage()
                            + ". Copy the whole text that the other command printed.",
                    e);
        }
    }

    private PeerId find(Peer peer) {
        try {
            return new PeerFinder(group.join(peer), target.strip()).find(guest.timeout());
        } catch (ParleyException e) {
            if (e.code() != ErrorCode.UNREACHABLE) {
                throw e;
            }
            throw guest.notFound(peer, "peer", target, e);
        }
    }

    /** Connects before the first round trip, which therefore does not include the handshake. */
    private PeerId connect(Peer peer, PeerAddress address) throws InterruptedException {
        GuestOptions.checkOther(peer, address.peer());
        peer.endpoint().addPeerAddress(address);
        try {
            Futures.get(peer.endpoint().connect(address.peer()), guest.timeout().toNanos());
            return address.peer();
        } catch (TimeoutException e) {
            throw new CommandFailedException(
                    "No response within " + TextFormatter.seconds(guest.timeout())
                            + ". Check that the other peer still runs.",
                    e);
        }
    }

    private LongSummaryStatistics measure(Console console, Peer peer, PeerId other, String name)
            throws InterruptedException {
        LongSummaryStatistics nanos = new LongSummaryStatistics();
        for (int number = 1; number <= count; number++) {
            if (number > 1) {
                // The interval is the purpose of this sleep; no event is awaited.
                TimeUnit.NANOSECONDS.sleep((long) (Math.max(0, intervalSeconds) * 1e9));
            }
            String prefix = TextFormatter.oneLine(name) + ": number=" + number;
            try {
                Duration trip =
                        Futures.get(peer.endpoint().ping(other), guest.timeout().toNanos());
                nanos.accept(trip.toNanos());
                console.print(prefix + " time=" + TextFormatter.millis(trip) + " ms"
                        + (isRelayed(peer, other) ? ", through a relay" : ""));
            } catch (ParleyException | TimeoutException e) {
                if (ShutdownSignal.isClosing()) {
                    throw new CommandFailedException("The command was interrupted.", e);
                }
                console.print(prefix + " lost ("
                        + (e instanceof TimeoutException
                                ? "no response within " + TextFormatter.seconds(guest.timeout())
                                : FailureFormatter.sentence(e))
                        + ")");
            }
        }
        return nanos;
    }

    private static boolean isRelayed(Peer peer, PeerId other) {
        return peer.endpoint()
                .remoteAddress(other)
                .filter(EndpointAddress::isRelayed)
                .isPresent();
    }

    private void printSummary(Console console, PeerId other, boolean relayed, LongSummaryStatistics nanos) {
        boolean any = nanos.getCount() > 0;
        console.result(
                JsonObject.object()
                        .add("peer", other.text())
                        .add("sent", count)
                        .add("received", nanos.getCount())
                        .add("min_ms", any ? nanos.getMin() / 1e6 : Double.NaN)
                        .add("avg_ms", any ? nanos.getAverage() / 1e6 : Double.NaN)
                        .add("max_ms", any ? nanos.getMax() / 1e6 : Double.NaN)
                        .add("relayed", relayed),
                count + " sent, " + nanos.getCount() + " received"
                        + (any
                                ? ", min/avg/max = " + millis((double) nanos.getMin()) + "/"
                                        + millis(nanos.getAverage()) + "/" + millis((double) nanos.getMax()) + " ms"
                                : ""));
    }

    private static String millis(double nanos) {
        return TextFormatter.millis(Duration.ofNanos((long) nanos));
    }
}
