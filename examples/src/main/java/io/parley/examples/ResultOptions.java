package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.examples.search.AdvertisementSearch;
import java.time.Duration;
import picocli.CommandLine.Option;

/** How long and for how much is looked. */
final class ResultOptions {

    @Option(
            names = {"-t", "--timeout"},
            paramLabel = "SECONDS",
            defaultValue = "4",
            description = "How long to look at most. Default: ${DEFAULT-VALUE}")
    private double timeoutSeconds = 4;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            defaultValue = "1000",
            description = "How much is enough. Default: ${DEFAULT-VALUE}")
    private int limit = 1000;

    int limit() {
        if (limit < 1 || limit > 9999) {
            throw new CommandFailedException("--limit is " + limit + ". Use 1 to 9999.");
        }
        return limit;
    }

    Duration timeout() {
        if (!(timeoutSeconds > 0) || timeoutSeconds > 3600) {
            throw new CommandFailedException(
                    "--timeout is " + timeoutSeconds + ". Use more than 0 and at most 3600 seconds.");
        }
        return Duration.ofNanos((long) (timeoutSeconds * 1e9));
    }

    /** Looks, tells when there was nobody to ask, and says how much was found. */
    int run(Console console, Peer peer, NetworkOptions network, AdvertisementSearch finding)
            throws InterruptedException {
        int count = network.isMulticast() ? finding.everywhere(timeout()) : finding.inTheIndex(timeout());
        if (network.hasRendezvous() && peer.rendezvous().rendezvous().isEmpty()) {
            console.remark("No rendezvous has answered. Check the address behind --rendezvous, and that it runs.");
        } else if (count == 0) {
            console.remark("Nothing was found. A longer --timeout may help, or a --rendezvous to ask.");
        }
        return count;
    }
}
