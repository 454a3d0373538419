package io.parley.examples;

import io.parley.examples.console.FailureFormatter;
import io.parley.examples.console.LogConfigurator;
import io.parley.examples.console.TextFormatter;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The {@code parley} command. */
@Command(
        name = "parley",
        description = "Exchange messages and files with other peers, which are addressed by id or name.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = Parley.Version.class,
        subcommands = {
            DemoCommand.class,
            ChatCommand.class,
            SendCommand.class,
            ReceiveCommand.class,
            ListenCommand.class,
            ConnectCommand.class,
            ServeCommand.class,
            RequestCommand.class,
            RendezvousCommand.class,
            SearchCommand.class,
            PublishCommand.class,
            TopicCommand.class,
            WorkCommand.class,
            ForwardCommand.class,
            SocksCommand.class,
            TalkCommand.class,
            PingCommand.class,
            StatusCommand.class,
            ShellCommand.class,
            IdCommand.class,
            BenchCommand.class,
            DemoRoleCommand.class,
            DemoChatCommand.class,
            WarmUpCommand.class
        },
        footerHeading = "%n",
        footer = {
            "\"parley COMMAND --help\" describes a command. The shell uses the same commands.",
            "PARLEY_OPTS contains options for the JVM, such as -Xmx128m. The launcher builds the program if its sources"
                    + " have changed."
        })
public final class Parley implements Runnable {

    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;

    @Spec
    private @Nullable CommandSpec spec;

    private Parley() {}

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    /** Returns the command with all its subcommands. */
    static CommandLine commandLine() {
        return new CommandLine(new Parley())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true)
                .setExecutionStrategy(Parley::run)
                .setParameterExceptionHandler(Parley::explainUsage)
                .setExecutionExceptionHandler(Parley::explainFailure);
    }

    @Override
    public void run() {
        throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "COMMAND is missing.");
    }

    private static int run(ParseResult parsed) {
        if (isVerbose(parsed)) {
            LogConfigurator.verbose();
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    private static boolean isVerbose(ParseResult parsed) {
        return parsed.hasSubcommand() ? isVerbose(parsed.subcommand()) : parsed.hasMatchedOption("--verbose");
    }

    private static int explainUsage(ParameterException failure, String[] args) {
        CommandLine command = failure.getCommandLine();
        PrintWriter err = command.getErr();
        err.println(command.getColorScheme().errorText(TextFormatter.lines(String.valueOf(failure.getMessage()))));
        err.println("\"" + command.getCommandSpec().qualifiedName() + " --help\" lists commands and options.");
        return WRONG_USAGE;
    }

    private static int explainFailure(Exception failure, CommandLine command, ParseResult parsed) {
        PrintWriter err = command.getErr();
        err.println(command.getColorScheme().errorText(TextFormatter.oneLine(FailureFormatter.sentence(failure))));
        if (isVerbose(parsed)) {
            StringWriter stack = new StringWriter();
            failure.printStackTrace(new PrintWriter(stack, true));
            err.print(TextFormatter.lines(stack.toString()));
        }
        err.flush();
        return FAILED;
    }

    /** Reads the version from a resource that the build writes. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() throws IOException {
            Properties build = new Properties();
            try (InputStream in = Parley.class.getResourceAsStream("build.properties")) {
                build.load(Objects.requireNonNull(in, "build.properties"));
            }
            return new String[] {"parley " + build.getProperty("version"), "Java " + Runtime.version()};
        }
    }
}
