package io.parley.examples;

import io.parley.examples.console.FailureFormatter;
import io.parley.examples.console.LogConfigurator;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.console.UsageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.function.Supplier;
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
        footerHeading = "%n",
        footer = {
            "\"parley COMMAND --help\" describes a command. The shell has some of them.",
            "Exit code 0: success; 1: failure; 2: wrong usage, such as an unknown option or a wrong value.",
            "PARLEY_OPTS contains options for the JVM, such as -Xmx128m. The launcher builds the program if its sources"
                    + " have changed."
        })
public final class Parley implements Runnable {

    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;

    /** The commands in the order of the help text. */
    private static final Map<String, Supplier<Object>> COMMANDS = commands();

    @Spec
    private @Nullable CommandSpec spec;

    private Parley() {}

    private static Map<String, Supplier<Object>> commands() {
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
        commands.put("demo", DemoCommand::new);
        commands.put("chat", ChatCommand::new);
        commands.put("send", SendCommand::new);
        commands.put("receive", ReceiveCommand::new);
        commands.put("listen", ListenCommand::new);
        commands.put("connect", ConnectCommand::new);
        commands.put("serve", ServeCommand::new);
        commands.put("request", RequestCommand::new);
        commands.put("rendezvous", RendezvousCommand::new);
        commands.put("relay", RelayCommand::new);
        commands.put("search", SearchCommand::new);
        commands.put("publish", PublishCommand::new);
        commands.put("topic", TopicCommand::new);
        commands.put("members", MembersCommand::new);
        commands.put("work", WorkCommand::new);
        commands.put("forward", ForwardCommand::new);
        commands.put("socks", SocksCommand::new);
        commands.put("talk", TalkCommand::new);
        commands.put("ping", PingCommand::new);
        commands.put("status", StatusCommand::new);
        commands.put("shell", ShellCommand::new);
        commands.put("id", IdCommand::new);
        commands.put("bench", BenchCommand::new);
        commands.put("demo-role", DemoRoleCommand::new);
        commands.put("demo-meet", DemoChatCommand::new);
        commands.put("warm-up", WarmUpCommand::new);
        return commands;
    }

    public static void main(String[] args) {
        System.exit(commandLine(args).execute(args));
    }

    /**
     * Returns the command with the subcommand that the arguments name, or with all subcommands if the first argument names none. To read
     * the options of all takes three quarters of the start.
     */
    static CommandLine commandLine(String... args) {
        Set<String> all = COMMANDS.keySet();
        return commandLine(args.length > 0 && all.contains(args[0]) ? Set.of(args[0]) : all);
    }

    private static CommandLine commandLine(Set<String> subcommands) {
        CommandLine parley = new CommandLine(new Parley());
        COMMANDS.forEach((name, command) -> {
            if (subcommands.contains(name)) {
                parley.addSubcommand(name, command.get());
            }
        });
        return parley.setCaseInsensitiveEnumValuesAllowed(true)
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
        if (ShutdownSignal.isClosing()) {
            return FAILED; // not the failure, but the user has ended the command
        }
        PrintWriter err = command.getErr();
        err.println(command.getColorScheme().errorText(TextFormatter.oneLine(FailureFormatter.sentence(failure))));
        if (isVerbose(parsed)) {
            StringWriter stack = new StringWriter();
            failure.printStackTrace(new PrintWriter(stack, true));
            err.print(TextFormatter.lines(stack.toString()));
        }
        err.flush();
        return failure instanceof UsageException || failure instanceof IllegalArgumentException ? WRONG_USAGE : FAILED;
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
