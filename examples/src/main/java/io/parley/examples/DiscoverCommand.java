package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.search.AdvertisementKinds;
import io.parley.examples.search.AdvertisementSearch;
import io.parley.examples.search.SearchResult;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what others have published. */
@Command(
        name = "discover",
        description = {
            "Find out what others have published: peers, pipes, groups and whatever else.",
            "Prints each result as it comes. Exit code 1 means that there was nothing."
        },
        mixinStandardHelpOptions = true)
final class DiscoverCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Mixin
    private GroupOption group = new GroupOption();

    @Mixin
    private ResultOptions find = new ResultOptions();

    @Option(
            names = "--attribute",
            paramLabel = "NAME",
            defaultValue = AdvertisementKinds.NAME,
            description = "What PATTERN has to match. Default: ${DEFAULT-VALUE}")
    private String attribute = AdvertisementKinds.NAME;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "peers|pipes|groups|all|TYPE",
            description = "What to look for; TYPE is the name of a document's root element, such as jxta:MCA. Default:"
                    + " all")
    private @Nullable String what;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "PATTERN",
            description = "What its name has to be; a * stands for any letters. Default: any")
    private @Nullable String pattern;

    @Override
    public Integer call() throws InterruptedException {
        Console console = common.console();
        try (Peer peer = overlay.start()) {
            AdvertisementSearch finding = new AdvertisementSearch(
                    peer,
                    group.join(peer),
                    AdvertisementKinds.query("all".equals(what) ? null : what, attribute, pattern),
                    find.limit(),
                    entry -> show(console, entry));
            return find.run(console, peer, overlay.network(), finding) > 0 ? 0 : 1;
        }
    }

    private static void show(Console console, SearchResult entry) {
        console.result(entry.toJson(), entry.toString());
    }
}
