package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.SizeFormatter;
import io.parley.bench.worker.ArrivalCount;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.WorkerException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Measures what a fresh pair of JVMs transfers in its first second. */
final class FirstSecondSuite implements Suite {

    private static final List<Integer> BYTES = List.of(1 << 10, 64 << 10);

    @Override
    public String name() {
        return "first-second";
    }

    @Override
    public String description() {
        return "Messages in the first second of a fresh pair of JVMs, one way.";
    }

    @Override
    public List<String> contenderNames() {
        return List.of("netty-arrays", "parley-pipe");
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        TimeBudget budget = context.budget();
        int rounds = budget.isFull() ? 20 : budget.isTiny() ? 1 : budget.rounds();
        Duration time = budget.isTiny() ? Duration.ofMillis(20) : Duration.ofSeconds(1);
        RoundResults results = new RoundResults();
        for (int bytes : budget.isTiny() ? BYTES.subList(0, 1) : BYTES) {
            for (int round = 1; round <= rounds; round++) {
                context.progress("first second of %s, pair %d".formatted(SizeFormatter.text(bytes), round));
                for (Contender contender : context.contenders()) {
                    measure(context, contender, round, bytes, time, results);
                }
            }
        }
        return List.of(new Experiment(
                name(),
                name(),
                "The first second of two fresh JVMs, one way: messages per second",
                "Two processes start and connect. From then on the sender sends as fast as back-pressure allows; counted are"
                        + " the messages that the receiver has one second after the first one. No code is compiled yet, and"
                        + " the JVMs have no special options. %d pairs of each contender, alternating."
                                .formatted(rounds),
                "rate",
                "messages/s",
                Experiment.Better.MORE,
                Experiment.Chart.BARS,
                results.figures(context.contenders())));
    }

    private static void measure(
            SuiteContext context, Contender contender, int round, int bytes, Duration time, RoundResults results)
            throws IOException, InterruptedException {
        try (ProcessPair pair = context.start(contender)) {
            context.started(contender, pair);
            pair.prepare(bytes);
            ArrivalCount arrivals = pair.arrivalsIn(time);
            results.add(
                    round,
                    new RoundResults.Key(contender.name(), "", bytes),
                    new RoundResults.Entry(arrivals.perSecond(), Map.of(), arrivals.messages()));
        } catch (WorkerException failure) {
            context.failed(contender.name() + ", first second", failure, false);
        }
    }
}
