package io.parley.examples;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Publishes to the topics of a group, and follows them. */
@Command(
        name = "topic",
        description = "Send lines to all peers that follow a topic, or follow one.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {TopicPublishCommand.class, TopicFollowCommand.class},
        mixinStandardHelpOptions = true)
final class TopicCommand implements Runnable {

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "COMMAND is missing.");
    }
}
