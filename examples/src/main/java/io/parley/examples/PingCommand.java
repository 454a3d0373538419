package io.parley.examples;

import io.parley.Peer;
import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.examples.console.FailureFormatter;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.TextFormatter;
import io.parley.pipes.PipeTicket;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Measures round trips to a peer. */
@Command(
        name = "ping",
        description = {"Measure round trips to a peer.", "They go through the encrypted connection that messages use."},
        mixinStandardHelpOptions = true)
final class PingCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private GuestOptions guest = new GuestOptions();

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            defaultValue = "4",
            description = "How often. Default: ${DEFAULT-VALUE}")
    private int count;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            defaultValue = "1",
            description = "The pause in between. Default: ${DEFAULT-VALUE}")
    private double intervalSeconds;

    @Parameters(paramLabel = "PEER", description = "A ticket, or a peer's address: ID@tcp://host:port")
    private String target = "";

    @Override
    public Integer call() throws InterruptedException {
        Console console = common.console();
        if (count < 1) {
            throw new CommandFailedException("--count is " + count + ". Use 1 or more.");
        }
        PeerAddress address = address(target);
        try (Peer peer = guest.start()) {
            GuestOptions.checkOther(peer, address.peer());
            peer.endpoint().addPeerAddress(address);
            connect(peer, address);
            LongSummaryStatistics nanos = measure(console, peer, address);
            summarize(console, address, nanos);
            return nanos.getCount() == count ? 0 : 1;
        }
    }

    private static PeerAddress address(String text) {
        String stripped = text.strip();
        int at = stripped.indexOf('@');
        String who = at < 0 ? stripped : stripped.substring(0, at);
        try {
            boolean urn = who.regionMatches(true, 0, "urn:", 0, 4);
            return who.indexOf(':') >= 0 && !urn ? PipeTicket.parse(stripped).holder() : PeerAddress.parse(stripped);
        } catch (IllegalArgumentException e) {
            throw new CommandFailedException(
                    "That is neither a ticket nor a peer's address: " + e.getMessage()
                            + ". Copy the whole text that the other side printed.",
                    e);
        }
    }

    /** First of all, so that the first round trip is not the one with the handshake in it. */
    private void connect(Peer peer, PeerAddress address) throws InterruptedException {
        try {
            peer.endpoint().connect(address.peer()).get(guest.timeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw ParleyException.unchecked(e);
        } catch (TimeoutException e) {
            throw new CommandFailedException(
                    "No answer within " + TextFormatter.seconds(guest.timeout())
                            + ". Check that the other side still runs.",
                    e);
        }
    }

    private LongSummaryStatistics measure(Console console, Peer peer, PeerAddress address) throws InterruptedException {
        LongSummaryStatistics nanos = new LongSummaryStatistics();
        for (int number = 1; number <= count; number++) {
            if (number > 1) {
                // The pause is the point here; nothing waits for anything.
                TimeUnit.NANOSECONDS.sleep((long) (Math.max(0, intervalSeconds) * 1e9));
            }
            try {
                Duration trip =
                        peer.endpoint().ping(address.peer()).get(guest.timeout().toMillis(), TimeUnit.MILLISECONDS);
                nanos.accept(trip.toNanos());
                console.print(address.peer().shortText() + ": number=" + number + " time="
                        + millis((double) trip.toNanos()) + " ms");
            } catch (ExecutionException | TimeoutException e) {
                console.print(address.peer().shortText() + ": number=" + number + " lost ("
                        + FailureFormatter.sentence(e) + ")");
            }
        }
        return nanos;
    }

    private void summarize(Console console, PeerAddress address, LongSummaryStatistics nanos) {
        boolean any = nanos.getCount() > 0;
        console.result(
                JsonObject.object()
                        .add("peer", address.peer().text())
                        .add("sent", count)
                        .add("received", nanos.getCount())
                        .add("min_ms", any ? nanos.getMin() / 1e6 : Double.NaN)
                        .add("avg_ms", any ? nanos.getAverage() / 1e6 : Double.NaN)
                        .add("max_ms", any ? nanos.getMax() / 1e6 : Double.NaN),
                count + " sent, " + nanos.getCount() + " answered"
                        + (any
                                ? ", min/avg/max = " + millis((double) nanos.getMin()) + "/"
                                        + millis(nanos.getAverage()) + "/" + millis((double) nanos.getMax()) + " ms"
                                : ""));
    }

    private static String millis(double nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / 1e6);
    }
}
