package io.parley.examples;

import io.parley.Peer;
import io.parley.discovery.DiscoveryQuery;
import io.parley.error.ParleyException;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.search.AdvertisementSearch;
import io.parley.examples.search.PeerNames;
import io.parley.examples.search.SearchResult;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousStatus;
import io.parley.transport.EndpointAddress;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the state of the network, seen from a new peer. */
@Command(
        name = "status",
        description = {
            "Start a peer for a few seconds and print what it finds.",
            "Prints its addresses, its rendezvous, and the advertisements of the local network and of the rendezvous.",
            "Exit code 1: no rendezvous has responded, or, without --rendezvous, no other peer was found."
        },
        mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Mixin
    private ResultOptions results = new ResultOptions();

    private final AtomicInteger peers = new AtomicInteger();

    @Override
    public Integer call() throws InterruptedException {
        Console console = common.console();
        try (Peer peer = ShutdownSignal.closing(overlay.start())) {
            console.print("This peer    " + peer.name() + "  " + peer.id() + "\nListens at   " + addresses(peer)
                    + "\nSearching ...");
            AdvertisementSearch search = new AdvertisementSearch(
                    peer, peer.netGroup(), DiscoveryQuery.any(), results.limit(), result -> print(console, result));
            int found = results.run(console, peer, overlay.network(), search);
            RendezvousStatus status = peer.rendezvous().status();
            printSummary(console, peer, status, found);
            boolean isHealthy =
                    !status.rendezvous().isEmpty() || (!overlay.network().hasRendezvous() && peers.get() > 0);
            return isHealthy ? 0 : 1;
        }
    }

    private void print(Console console, SearchResult result) {
        if (result.isPeer()) {
            peers.incrementAndGet();
        }
        console.result(result.toJson(), "  " + result);
    }

    private void printSummary(Console console, Peer peer, RendezvousStatus status, int found) {
        Set<PeerId> rendezvous = status.rendezvous();
        int connected = peer.endpoint().connectedPeers().size();
        console.result(
                JsonObject.object()
                        .add("peer", peer.id().text())
                        .add("name", peer.name())
                        .add("addresses", addresses(peer))
                        .add("rendezvous", rendezvous.stream().map(PeerId::text).collect(Collectors.joining(",")))
                        .add("found", found)
                        .add("peers", peers.get())
                        .add("connected", connected),
                "Rendezvous   "
                        + (rendezvous.isEmpty() ? absence(status) : new PeerNames(peer.netGroup()).of(rendezvous))
                        + "\nFound        " + TextFormatter.count(found, "advertisement") + ", "
                        + TextFormatter.count(peers.get(), "peer") + " among them; connected to "
                        + TextFormatter.count(connected, "peer"));
    }

    /** Describes that no rendezvous has responded, with the reason of the last failure if there is one. */
    private static String absence(RendezvousStatus status) {
        ParleyException failure = status.lastFailure();
        return failure == null ? "none" : "none; last failure: " + TextFormatter.oneLine(failure.getMessage());
    }

    private static String addresses(Peer peer) {
        return peer.address().addresses().stream()
                .map(EndpointAddress::toString)
                .collect(Collectors.joining(","));
    }
}
