package io.parley.examples;

import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.identity.Identity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows who this peer is. */
@Command(
        name = "id",
        description = "Show this peer's identity; make it when there is none yet.",
        mixinStandardHelpOptions = true)
final class IdCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(names = "--home", paramLabel = "DIR", description = "Where the identity is kept. Default: ~/.parley")
    private @Nullable Path home;

    @Override
    public Integer call() {
        Console console = common.console();
        Path directory = PeerDefaults.orDefault(home).toAbsolutePath().normalize();
        boolean created = !Files.exists(directory.resolve(Identity.FILE_NAME));
        Identity identity = Identity.loadOrCreate(directory);
        console.result(
                JsonObject.object()
                        .add("peer", identity.peerId().text())
                        .add("urn", identity.peerId().urn())
                        .add("home", directory.toString())
                        .add("created", created),
                identity.peerId().text());
        console.remark("The identity is kept in " + directory + (created ? ", where it was made just now." : "."));
        return 0;
    }
}
