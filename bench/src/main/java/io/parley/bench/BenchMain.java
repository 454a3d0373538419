package io.parley.bench;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.FanOutContender;
import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamRegistry;
import io.parley.bench.suite.PaperExperiment;
import io.parley.bench.suite.Suite;
import io.parley.bench.suite.Suites;
import io.parley.bench.worker.ContenderRegistry;
import io.parley.bench.worker.FanOutRegistry;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command line of the benchmarks. */
@Command(
        name = "bench",
        description = "Compare Parley with raw Netty, plain Java sockets and the original JXTA 2.5.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {BenchMain.ListCommand.class, RunCommand.class, CheckCommand.class})
public final class BenchMain {

    private BenchMain() {}

    /** Runs the command and exits with its exit code. The exit code is 0 only if no contender was abandoned. */
    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    /** Returns the command line, for tests and for use inside another command line. */
    public static CommandLine commandLine() {
        return new CommandLine(new BenchMain());
    }

    /** Lists the suites, with the tables and figures of papers that they stand for, and the contenders. */
    @Command(
            name = "list",
            description =
                    "List the suites, with the tables and figures of papers that they stand for, and the contenders.",
            mixinStandardHelpOptions = true)
    static final class ListCommand implements Callable<Integer> {

        @Spec
        @SuppressWarnings("NullAway.Init") // set by picocli
        private CommandSpec spec;

        @Override
        public Integer call() {
            PrintWriter out = spec.commandLine().getOut();
            out.println("Suites:");
            for (Suite suite : Suites.all()) {
                out.printf("  %-15s %s%n", suite.name(), suite.description());
                for (PaperExperiment experiment : suite.paperExperiments()) {
                    out.printf("  %-15s - stands for %s%n", "", experiment);
                }
            }
            out.println();
            out.println("Contenders:");
            for (Contender contender : ContenderRegistry.all()) {
                String obstacle = contender
                        .obstacle()
                        .map(reason -> " [cannot run here: " + reason + "]")
                        .orElse("");
                out.printf("  %-14s %s%s%n", contender.name(), contender.description(), obstacle);
            }
            out.println();
            out.println("Contenders with many receivers, in the suite fan-out:");
            for (FanOutContender contender : FanOutRegistry.all()) {
                out.printf(
                        "  %-15s %s [selected by %s]%n",
                        contender.name(), contender.description(), contender.contender());
            }
            out.println();
            out.println("Streams, in the suites netpipe and sockets:");
            for (StreamContender contender : StreamRegistry.all()) {
                String obstacle = contender
                        .obstacle()
                        .map(reason -> " [cannot run here: " + reason + "]")
                        .orElse("");
                out.printf("  %-22s %s%s%n", contender.name(), contender.description(), obstacle);
            }
            out.flush();
            return 0;
        }
    }
}
