package io.parley.bench;

import io.parley.bench.contender.Contender;
import io.parley.bench.suite.Suite;
import io.parley.bench.suite.Suites;
import io.parley.bench.worker.ContenderRegistry;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command line of the benchmarks. */
@Command(
        name = "bench",
        description = "Measures Parley beside raw Netty, plain Java sockets and the real JXTA 2.5.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {BenchMain.ListCommand.class, RunCommand.class, CheckCommand.class})
public final class BenchMain {

    private BenchMain() {}

    /** Exits with 0 only if no contender had to be given up. */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    /** For embedding in another command line, and for tests. */
    public static CommandLine commandLine() {
        return new CommandLine(new BenchMain());
    }

    /** Names what there is. */
    @Command(name = "list", description = "Lists the suites and the contenders.", mixinStandardHelpOptions = true)
    static final class ListCommand implements Callable<Integer> {

        @Spec
        @SuppressWarnings("NullAway.Init") // set by picocli
        private CommandSpec spec;

        @Override
        public Integer call() {
            PrintWriter out = spec.commandLine().getOut();
            out.println("Suites:");
            for (Suite suite : Suites.all()) {
                out.printf("  %-14s %s%n", suite.name(), suite.sentence());
            }
            out.println();
            out.println("Contenders:");
            for (Contender contender : ContenderRegistry.all()) {
                String obstacle = contender
                        .obstacle()
                        .map(why -> " [not here: " + why + "]")
                        .orElse("");
                out.printf("  %-14s %s%s%n", contender.name(), contender.description(), obstacle);
            }
            out.flush();
            return 0;
        }
    }
}
