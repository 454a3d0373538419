package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.search.AdvertisementKinds;
import io.parley.examples.search.AdvertisementSearch;
import io.parley.examples.search.SearchResult;
import io.parley.group.PeerGroup;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Searches for published advertisements. */
@Command(
        name = "search",
        description = {
            "Search for advertisements of other peers: peers, pipes, groups and other types.",
            "Prints each result when it arrives, with the time since it was published: the advertisement of a peer that has"
                    + " failed remains until it expires. Exit code 1: no results."
        },
        mixinStandardHelpOptions = true)
final class SearchCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Mixin
    private GroupOption group = new GroupOption();

    @Mixin
    private ResultOptions results = new ResultOptions();

    @Option(
            names = "--attribute",
            paramLabel = "NAME",
            defaultValue = AdvertisementKinds.NAME,
            description = "Attribute that PATTERN applies to. Default: ${DEFAULT-VALUE}")
    private String attribute = AdvertisementKinds.NAME;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "peers|pipes|groups|all|TYPE",
            description =
                    "Kind of advertisement; TYPE is the name of a document's root element, such as jxta:MCA. Default:"
                            + " all")
    private @Nullable String kind;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "PATTERN",
            description = "Pattern for the name; * matches any characters. Default: *")
    private @Nullable String pattern;

    @Override
    public Integer call() throws InterruptedException {
        Console console = common.console();
        try (Peer peer = ShutdownSignal.closing(overlay.start())) {
            PeerGroup searched = AdvertisementKinds.isGroups(kind) ? peer.netGroup() : group.join(peer);
            AdvertisementSearch search = new AdvertisementSearch(
                    peer,
                    searched,
                    AdvertisementKinds.query(kind, attribute, pattern),
                    results.limit(),
                    result -> print(console, result));
            return results.run(console, peer, overlay.network(), search) > 0 ? 0 : 1;
        }
    }

    private static void print(Console console, SearchResult result) {
        console.result(result.toJson(), result.toString());
    }
}
