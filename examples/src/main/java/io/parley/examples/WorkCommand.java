package io.parley.examples;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Sends tasks to the work queues of a group, and executes them. */
@Command(
        name = "work",
        description = "Send tasks to a work queue, or execute the tasks of one.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {WorkSendCommand.class, WorkRunCommand.class},
        mixinStandardHelpOptions = true)
final class WorkCommand implements Runnable {

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "COMMAND is missing.");
    }
}
