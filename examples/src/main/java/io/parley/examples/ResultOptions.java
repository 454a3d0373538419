package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.UsageException;
import io.parley.examples.search.AdvertisementSearch;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The timeout and the result limit of a search. */
final class ResultOptions {

    @Option(
            names = {"-t", "--timeout"},
            paramLabel = "SECONDS",
            defaultValue = "4",
            description = "Maximum duration of the search. Default: ${DEFAULT-VALUE}")
    private double timeoutSeconds = 4;

    @Option(
            names = {"-n", "--limit"},
            paramLabel = "N",
            defaultValue = "1000",
            description = "Maximum number of results. Default: ${DEFAULT-VALUE}")
    private int limit = 1000;

    int limit() {
        if (limit < 1 || limit > 9999) {
            throw new UsageException("--limit is " + limit + ". Use 1 to 9999.");
        }
        return limit;
    }

    Duration timeout() {
        if (!(timeoutSeconds > 0) || timeoutSeconds > 3600) {
            throw new UsageException("--timeout is " + timeoutSeconds + ". Use more than 0 and at most 3600 seconds.");
        }
        return Duration.ofNanos((long) (timeoutSeconds * 1e9));
    }

    /**
     * Runs a search. Prints a remark if no rendezvous has responded or if nothing was found.
     *
     * @return the number of results
     */
    int run(Console console, Peer peer, NetworkOptions network, AdvertisementSearch search)
            throws InterruptedException {
        int count = network.isMulticast() ? search.searchAll(timeout()) : search.searchIndex(timeout());
        if (network.hasRendezvous() && peer.rendezvous().rendezvous().isEmpty()) {
            console.remark(
                    "No rendezvous has responded. Check the address after --rendezvous, and that the rendezvous runs.");
        } else if (count == 0) {
            console.remark("No results. Try a longer --timeout, or use --rendezvous.");
        }
        return count;
    }
}
