package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.search.AdvertisementKinds;
import io.parley.examples.search.AdvertisementSearch;
import io.parley.examples.search.SearchResult;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Lists groups. */
@Command(
        name = "groups",
        description = {
            "List the groups that somebody is in.",
            "Each name is printed once, as it is found. Exit code 1 means that there was none."
        },
        mixinStandardHelpOptions = true)
final class GroupsCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Mixin
    private ResultOptions find = new ResultOptions();

    @Parameters(
            arity = "0..1",
            paramLabel = "PATTERN",
            description = "What its name has to be; a * stands for any letters. Default: any")
    private @Nullable String pattern;

    private final Set<String> shown = new HashSet<>();

    @Override
    public Integer call() throws InterruptedException {
        Console console = common.console();
        try (Peer peer = overlay.start()) {
            AdvertisementSearch finding = new AdvertisementSearch(
                    peer,
                    peer.netGroup(),
                    AdvertisementKinds.query("groups", AdvertisementKinds.NAME, pattern),
                    find.limit(),
                    entry -> show(console, entry));
            return find.run(console, peer, overlay.network(), finding) > 0 ? 0 : 1;
        }
    }

    /** Each member publishes its group. */
    private void show(Console console, SearchResult group) {
        if (shown.add(group.id())) {
            console.result(
                    JsonObject.object().add("name", group.name()).add("id", group.id()),
                    group.name() + "  " + group.id());
        }
    }
}
