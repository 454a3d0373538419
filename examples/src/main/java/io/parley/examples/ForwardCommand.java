package io.parley.examples;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Forwards TCP connections between the machines of two peers. */
@Command(
        name = "forward",
        description = {
            "Forward TCP connections to the machine of another peer.",
            "\"parley forward serve\" offers a TCP port of this machine, or one that this machine reaches, to selected peers."
                    + " \"parley forward connect\" opens a port here that leads to it. Any program can use that port: psql,"
                    + " redis-cli, curl, ssh, a browser."
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {ForwardServeCommand.class, ForwardConnectCommand.class},
        mixinStandardHelpOptions = true)
final class ForwardCommand implements Runnable {

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "COMMAND is missing.");
    }
}
