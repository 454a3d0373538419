package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.Json;
import io.parley.examples.search.Entry;
import io.parley.examples.search.Finding;
import io.parley.examples.search.Kinds;
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
    private FindOptions find = new FindOptions();

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
            Finding finding = new Finding(
                    peer,
                    peer.netGroup(),
                    Kinds.query("groups", Kinds.NAME, pattern),
                    find.limit(),
                    entry -> show(console, entry));
            return find.run(console, peer, overlay.network(), finding) > 0 ? 0 : 1;
        }
    }

    /** Each member publishes its group. */
    private void show(Console console, Entry group) {
        if (shown.add(group.id())) {
            console.result(
                    Json.object().add("name", group.name()).add("id", group.id()), group.name() + "  " + group.id());
        }
    }
}
