package io.parley.bench.suite;

import io.parley.bench.contender.FanOutContender;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.worker.CpuTime;
import io.parley.bench.worker.FanOutProcesses;
import io.parley.bench.worker.FanOutRegistry;
import io.parley.bench.worker.WorkerException;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures one publisher with 1 to 50 receivers, and whether a receiver that stops slows down the others. */
final class FanOutSuite implements Suite {

    private static final int BYTES = 1 << 10;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final String METHOD =
            "One process publishes messages of 1 KB, and another one has all receivers, each a peer (Parley) or a connection"
                    + " (Netty). The publisher sends as fast as the receivers allow. Each receiver proves by the sequence"
                    + " numbers and a checksum that it got all messages, in order and undamaged; otherwise the contender is given"
                    + " up. ";

    @Override
    public String name() {
        return "fan-out";
    }

    @Override
    public String description() {
        return "Messages of 1 KB per second from one publisher to each of 1, 10 and 50 receivers.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(
                Paper.COSTS.experiment("future work: several receivers of propagate pipes"),
                Paper.SUBSTRATE.experiment("figure 3c, without a server"));
    }

    @Override
    public List<String> contenderNames() {
        return FanOutRegistry.all().stream()
                .map(FanOutContender::contender)
                .distinct()
                .toList();
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        RoundResults rates = new RoundResults();
        RoundResults kept = new RoundResults();
        List<FanOutContender> contenders = contenders(context);
        try (FanOutPool pool = new FanOutPool(context)) {
            for (int receivers : counts(context.budget())) {
                Map<String, Long> messages = new HashMap<>();
                pool.runRounds(label(receivers), contenders, (contender, processes, round) -> {
                    if (round == 0) {
                        messages.put(contender.name(), prepare(context.budget(), processes, receivers));
                        return;
                    }
                    rates.add(round, key(contender, receivers), measure(processes, count(messages, contender)));
                });
            }
            keptRates(context, pool, contenders, kept);
        }
        Map<String, List<String>> comparators = new LinkedHashMap<>();
        contenders.forEach(contender -> comparators.put(contender.name(), contender.comparators()));
        return List.of(
                experiment(
                        "fan-out",
                        "One publisher: messages per second at the last receiver",
                        METHOD + "The time ends when the last receiver has the last message. " + Suites.rounds(context)
                                + CpuCost.METHOD,
                        "rate",
                        "messages/s",
                        CpuCost.units("µs per message"),
                        rates.figures(comparators)),
                experiment(
                        "fan-out-stopped",
                        "One publisher: rate at the others while one receiver is stopped",
                        METHOD
                                + "One more receiver, in a process of its own, drops messages when it is slow. The figure is the"
                                + " rate at the last of the others while the operating system has stopped that process, to the"
                                + " rate without that receiver, both in the same round. " + Suites.rounds(context),
                        "ratio",
                        "with to without it",
                        Map.of(),
                        kept.figures(comparators)));
    }

    private static List<FanOutContender> contenders(SuiteContext context) {
        return FanOutRegistry.all().stream()
                .filter(fanOut -> context.contenders().stream()
                        .anyMatch(contender -> contender.name().equals(fanOut.contender())))
                .toList();
    }

    private static List<Integer> counts(TimeBudget budget) {
        return budget.isTiny() ? List.of(2) : List.of(1, 10, 50);
    }

    private static String label(int receivers) {
        return receivers == 1 ? "1 receiver" : receivers + " receivers";
    }

    private static RoundResults.Key key(FanOutContender contender, int receivers) {
        return new RoundResults.Key(contender.name(), label(receivers), BYTES);
    }

    /** Connects the receivers and runs until the rate no longer grows. Returns the messages of a turn. */
    private static long prepare(TimeBudget budget, FanOutProcesses processes, int receivers)
            throws WorkerException, InterruptedException {
        processes.receivers(receivers);
        processes.prepare(BYTES);
        return FloodWarmUp.run(budget, BYTES, processes::publish);
    }

    private static long count(Map<String, Long> messages, FanOutContender contender) {
        return messages.getOrDefault(contender.name(), FloodWarmUp.MIN_MESSAGES);
    }

    private static RoundResults.Entry measure(FanOutProcesses processes, long messages)
            throws WorkerException, InterruptedException {
        CpuTime start = processes.cpuTime();
        double rate = rate(processes, messages);
        CpuCost cpu = CpuCost.of(processes.cpuTime().since(start));
        return new RoundResults.Entry(rate, cpu.parts(messages, NANOS_PER_MICRO), messages);
    }

    private static double rate(FanOutProcesses processes, long messages) throws WorkerException, InterruptedException {
        Duration elapsed = processes.publish(messages);
        return messages * NANOS_PER_SECOND / Math.max(1, elapsed.toNanos());
    }

    /**
     * Measures what remains of the rate at 10 receivers while one more is stopped. The rate without it is that of the ten alone: a
     * receiver that runs needs processor time, which a stopped one leaves to the others.
     */
    private static void keptRates(
            SuiteContext context, FanOutPool pool, List<FanOutContender> contenders, RoundResults kept)
            throws IOException, InterruptedException {
        int others = context.budget().isTiny() ? 2 : 10;
        Map<String, Long> messages = new HashMap<>();
        List<FanOutContender> dropping = contenders.stream()
                .filter(FanOutContender::hasDroppingReceivers)
                .toList();
        pool.runRounds(label(others) + " and a stopped one", dropping, (contender, processes, round) -> {
            if (round == 0) {
                long prepared = prepare(context.budget(), processes, others);
                messages.put(contender.name(), prepared);
                stoppedRate(processes, prepared);
                return;
            }
            long count = count(messages, contender);
            boolean stoppedFirst = round % 2 == 0; // so that a trend of the machine has no effect on the ratio
            double first = stoppedFirst ? stoppedRate(processes, count) : rate(processes, count);
            double second = stoppedFirst ? rate(processes, count) : stoppedRate(processes, count);
            double ratio = stoppedFirst ? first / second : second / first;
            kept.add(round, key(contender, others), new RoundResults.Entry(ratio, Map.of(), 2 * count));
        });
    }

    private static double stoppedRate(FanOutProcesses processes, long messages)
            throws IOException, WorkerException, InterruptedException {
        processes.addDroppingReceiver();
        processes.stopDroppingReceiver();
        double rate;
        try {
            rate = rate(processes, messages);
        } finally {
            processes.resumeDroppingReceiver();
        }
        processes.removeDroppingReceiver();
        return rate;
    }

    private Experiment experiment(
            String id,
            String title,
            String method,
            String value,
            String unit,
            Map<String, String> partUnits,
            List<Figure> figures) {
        return new Experiment(
                name(),
                id,
                title,
                method,
                value,
                unit,
                partUnits,
                Experiment.Better.MORE,
                Experiment.Chart.BARS_BY_FORM,
                figures);
    }
}
