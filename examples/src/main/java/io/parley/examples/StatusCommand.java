package io.parley.examples;

import io.parley.Peer;
import io.parley.discovery.DiscoveryQuery;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.search.AdvertisementSearch;
import io.parley.examples.search.SearchResult;
import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** What a peer sees from here. */
@Command(
        name = "status",
        description = {
            "Start a peer for a few seconds and show what it sees.",
            "That is: where it listens, its rendezvous, and what the peers nearby and the rendezvous have to show."
        },
        mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Mixin
    private ResultOptions find = new ResultOptions();

    private final AtomicInteger peers = new AtomicInteger();

    @Override
    public Integer call() throws InterruptedException {
        Console console = common.console();
        try (Peer peer = overlay.start()) {
            console.print("This peer    " + peer.name() + "  " + peer.id() + "\nlistens at   " + addresses(peer)
                    + "\nLooking for others ...");
            AdvertisementSearch finding = new AdvertisementSearch(
                    peer, peer.netGroup(), DiscoveryQuery.any(), find.limit(), entry -> show(console, entry));
            int found = find.run(console, peer, overlay.network(), finding);
            summarize(console, peer, found);
        }
        return 0;
    }

    private void show(Console console, SearchResult entry) {
        if (entry.kind().equals("peer")) {
            peers.incrementAndGet();
        }
        console.result(entry.toJson(), "  " + entry);
    }

    private void summarize(Console console, Peer peer, int found) {
        String rendezvous =
                peer.rendezvous().rendezvous().stream().map(PeerId::text).collect(Collectors.joining(","));
        int connected = peer.endpoint().connectedPeers().size();
        console.result(
                JsonObject.object()
                        .add("peer", peer.id().text())
                        .add("name", peer.name())
                        .add("addresses", addresses(peer))
                        .add("rendezvous", rendezvous)
                        .add("found", found)
                        .add("peers", peers.get())
                        .add("connected", connected),
                "Rendezvous   " + (rendezvous.isEmpty() ? "none" : rendezvous) + "\nFound        "
                        + TextFormatter.count(found, "advertisement") + ", of them "
                        + TextFormatter.count(peers.get(), "peer")
                        + "; connected to " + connected);
    }

    private static String addresses(Peer peer) {
        return peer.address().addresses().stream()
                .map(EndpointAddress::toString)
                .collect(Collectors.joining(","));
    }
}
