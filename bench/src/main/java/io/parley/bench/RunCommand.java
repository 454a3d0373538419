package io.parley.bench;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.FanOutContender;
import io.parley.bench.report.HtmlReport;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Machine;
import io.parley.bench.result.Results;
import io.parley.bench.result.ResultsJson;
import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamRegistry;
import io.parley.bench.suite.NetPipeVariant;
import io.parley.bench.suite.Suite;
import io.parley.bench.suite.SuiteContext;
import io.parley.bench.suite.Suites;
import io.parley.bench.suite.TimeBudget;
import io.parley.bench.worker.ContenderRegistry;
import io.parley.bench.worker.CpuPinner;
import io.parley.bench.worker.FanOutRegistry;
import io.parley.bench.worker.NetworkNamespaces;
import io.parley.bench.worker.Placement;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs suites and writes their results as JSON and as an HTML report. */
@Command(
        name = "run",
        description = "Run suites and write results.json and report.html.",
        mixinStandardHelpOptions = true)
final class RunCommand implements Callable<Integer> {

    private static final String ALL = "all";

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "SUITE", description = "Suites to run (see list), or \"all\".")
    private List<String> suites = List.of();

    @Option(
            names = "--quick",
            description = "Run with a short time budget (all suites: about 30 minutes); figures are less precise.")
    private boolean quick;

    @Option(
            names = "--tiny",
            hidden = true,
            description = "Run with the smallest time budget, to check that every suite runs.")
    private boolean tiny;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Output directory. Default: bench-results.",
            defaultValue = "bench-results")
    private Path out = Path.of("bench-results");

    @Option(
            names = "--contender",
            paramLabel = "NAME",
            split = ",",
            description = "Contenders to run, comma-separated or repeated. Default: all that can run here.")
    private @Nullable List<String> contenders;

    @Option(
            names = "--placement",
            paramLabel = "PLACE",
            description =
                    "Processors of the two processes of a pair (Linux, taskset): apart (each has one half), together"
                            + " (both share one) or any. Default: any, the scheduler decides.")
    private @Nullable String placement;

    @Option(names = "--pin", description = "The same as --placement apart.")
    private boolean pin;

    @Option(
            names = "--bytes",
            paramLabel = "N",
            split = ",",
            description = "Message sizes of the suites rtt and paced, in bytes. Default: all sizes.")
    private @Nullable List<Integer> sizes;

    @Option(
            names = "--buffers",
            description = "Suite netpipe: measure socket buffers of 16 and 256 KB instead (Linux, root).")
    private boolean buffers;

    @Option(
            names = "--links",
            description = "Suite netpipe: measure links of 100 Mbit/s and 1 Gbit/s instead (Linux, root).")
    private boolean links;

    @Option(names = "--heaps", description = "Suite netpipe: measure heap sizes and collectors instead.")
    private boolean heaps;

    @Override
    public Integer call() throws Exception {
        PrintWriter log = spec.commandLine().getErr();
        List<Suite> chosen = chosenSuites();
        Instant started = Instant.now();
        List<String> unavailable = new ArrayList<>();
        Placement requested = requestedPlacement();
        if (!CpuPinner.place(requested)) {
            log.printf(
                    "Placement %s: not available on this machine (requires taskset%s). Processes run on any processor.%n",
                    requested.label(), requested == Placement.APART ? " and two processors" : "");
        }
        Machine machine = Machine.here();
        SuiteContenders suiteContenders = new SuiteContenders(availableContenders(unavailable), contenders);
        List<StreamContender> streams = availableStreams(chosen, unavailable);
        SuiteContext context = new SuiteContext(suiteContenders.of(chosen), budget(), out.resolve("logs"), line -> {
                    log.printf(
                            "%6.1f s  %s%n",
                            Duration.between(started, Instant.now()).toMillis() / 1e3, line);
                    log.flush();
                })
                .with(netPipeVariants());
        Function<Suite, SuiteContext> contexts = suite -> {
            List<StreamContender> suiteStreams = streams.stream()
                    .filter(stream -> suite.streamNames().contains(stream.name()))
                    .toList();
            return context.with(suiteContenders.of(suite), suiteStreams);
        };
        Consumer<List<Experiment>> writer =
                experiments -> write(results(context, streams, machine, started, experiments, unavailable));
        new SuiteSequence(contexts, writer, log).run(chosen);
        PrintWriter console = spec.commandLine().getOut();
        console.printf("Results: %s%nReport:  %s%n", out.resolve("results.json"), out.resolve("report.html"));
        console.flush();
        return context.incomplete() ? 1 : 0;
    }

    private Placement requestedPlacement() {
        String name = placement;
        if (name == null) {
            return pin ? Placement.APART : Placement.ANY;
        }
        Placement named = Placement.of(name)
                .orElseThrow(() -> new ParameterException(
                        spec.commandLine(), "placement: %s (expected: apart, together or any)".formatted(name)));
        if (pin && named != Placement.APART) {
            throw new ParameterException(
                    spec.commandLine(), "placement: %s (expected: apart, because of --pin)".formatted(name));
        }
        return named;
    }

    private TimeBudget budget() {
        TimeBudget budget = tiny ? TimeBudget.tiny() : quick ? TimeBudget.quick() : TimeBudget.full();
        List<Integer> chosen = sizes;
        return chosen == null ? budget : budget.withSizes(chosen);
    }

    private List<Suite> chosenSuites() {
        List<Suite> all = Suites.all();
        if (suites.contains(ALL)) {
            return all;
        }
        List<String> names = all.stream().map(Suite::name).toList();
        for (String name : suites) {
            if (!names.contains(name)) {
                throw new ParameterException(
                        spec.commandLine(), "suite: %s (expected: %s or one of %s)".formatted(name, ALL, names));
            }
        }
        return all.stream().filter(suite -> suites.contains(suite.name())).toList();
    }

    /**
     * Returns the requested contenders, which must be able to run here. Without a request, returns all that can run
     * here.
     */
    private List<Contender> availableContenders(List<String> unavailable) {
        List<String> requested = contenders;
        if (requested == null) {
            List<Contender> available = new ArrayList<>();
            for (Contender contender : ContenderRegistry.all()) {
                contender
                        .obstacle()
                        .ifPresentOrElse(
                                reason -> unavailable.add(contender.name() + " did not take part: " + reason),
                                () -> available.add(contender));
            }
            return available;
        }
        List<Contender> chosen = ContenderRegistry.all().stream()
                .filter(contender -> requested.contains(contender.name()))
                .toList();
        checkNames(requested);
        for (Contender contender : chosen) {
            contender.obstacle().ifPresent(reason -> {
                throw new ParameterException(spec.commandLine(), contender.name() + " cannot run here: " + reason);
            });
        }
        return chosen;
    }

    private void checkNames(List<String> requested) {
        List<String> known = Stream.concat(
                        ContenderRegistry.all().stream().map(Contender::name),
                        StreamRegistry.all().stream().map(StreamContender::name))
                .distinct()
                .toList();
        for (String name : requested) {
            if (!known.contains(name)) {
                throw new ParameterException(
                        spec.commandLine(), "contender: %s (expected: one of %s)".formatted(name, known));
            }
        }
    }

    /**
     * Returns the stream contenders of the suites. Those that are requested must be able to run here; without a request, those that cannot
     * are listed.
     */
    private List<StreamContender> availableStreams(List<Suite> chosen, List<String> unavailable) {
        List<String> requested = contenders;
        List<StreamContender> available = new ArrayList<>();
        for (StreamContender stream : StreamRegistry.all()) {
            boolean isMeasured =
                    chosen.stream().anyMatch(suite -> suite.streamNames().contains(stream.name()));
            if (!isMeasured || (requested != null && !requested.contains(stream.name()))) {
                continue;
            }
            Optional<String> obstacle = stream.obstacle();
            if (obstacle.isEmpty()) {
                available.add(stream);
            } else if (requested == null) {
                unavailable.add(stream.name() + " did not take part: " + obstacle.get());
            } else {
                throw new ParameterException(spec.commandLine(), stream.name() + " cannot run here: " + obstacle.get());
            }
        }
        return available;
    }

    private Set<NetPipeVariant> netPipeVariants() {
        Set<NetPipeVariant> variants = EnumSet.noneOf(NetPipeVariant.class);
        if (buffers) {
            variants.add(NetPipeVariant.BUFFERS);
        }
        if (links) {
            variants.add(NetPipeVariant.LINKS);
        }
        if (buffers || links) {
            NetworkNamespaces.obstacle().ifPresent(reason -> {
                throw new ParameterException(spec.commandLine(), "--buffers and --links cannot run here: " + reason);
            });
        }
        if (heaps) {
            variants.add(NetPipeVariant.HEAPS);
        }
        return variants;
    }

    private static Results results(
            SuiteContext context,
            List<StreamContender> streams,
            Machine machine,
            Instant started,
            List<Experiment> experiments,
            List<String> unavailable) {
        List<String> failures = new ArrayList<>(unavailable);
        failures.addAll(context.failures());
        return new Results(
                started.truncatedTo(ChronoUnit.SECONDS).toString(),
                Duration.between(started, Instant.now()).toMillis() / 1e3,
                context.budget().name(),
                context.budget().rounds(),
                machine,
                entrants(context, streams),
                List.copyOf(experiments),
                failures);
    }

    /** Returns the contenders of all suites, and those with many receivers that have started. */
    private static List<Results.Entrant> entrants(SuiteContext context, List<StreamContender> streams) {
        Map<String, String> details = context.details();
        Map<String, Results.Entrant> entrants = new LinkedHashMap<>();
        for (Contender contender : context.contenders()) {
            entrants.put(
                    contender.name(),
                    new Results.Entrant(
                            contender.name(),
                            contender.description(),
                            details.getOrDefault(contender.name(), ""),
                            contender.comparators()));
        }
        for (FanOutContender contender : FanOutRegistry.all()) {
            String started = details.get(contender.name());
            if (started != null) {
                entrants.putIfAbsent(
                        contender.name(),
                        new Results.Entrant(
                                contender.name(), contender.description(), started, contender.comparators()));
            }
        }
        for (StreamContender stream : streams) {
            entrants.put(
                    stream.name(),
                    new Results.Entrant(
                            stream.name(),
                            stream.description(),
                            details.getOrDefault(stream.name(), ""),
                            stream.comparators()));
        }
        return List.copyOf(entrants.values());
    }

    private void write(Results results) {
        try {
            Files.createDirectories(out);
            Files.writeString(out.resolve("results.json"), ResultsJson.write(results));
            Files.writeString(out.resolve("report.html"), HtmlReport.of(results));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
