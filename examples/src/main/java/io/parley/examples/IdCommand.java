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

/** Shows the identity in a home directory. */
@Command(
        name = "id",
        description = "Print the peer id of a home directory. Creates the identity if it is missing.",
        mixinStandardHelpOptions = true)
final class IdCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Option(names = "--home", paramLabel = "DIR", description = "Directory of the identity. Default: ~/.parley")
    private @Nullable Path home;

    @Override
    public Integer call() {
        Console console = common.console();
        Path directory = PeerDefaults.homeOrDefault(home).toAbsolutePath().normalize();
        boolean created = !Files.exists(directory.resolve(Identity.FILE_NAME));
        Identity identity = Identity.loadOrCreate(directory);
        console.result(
                JsonObject.object()
                        .add("peer", identity.peerId().text())
                        .add("urn", identity.peerId().urn())
                        .add("home", directory.toString())
                        .add("created", created),
                identity.peerId().text());
        console.remark("The identity is in " + directory + (created ? " and is new." : "."));
        return 0;
    }
}
