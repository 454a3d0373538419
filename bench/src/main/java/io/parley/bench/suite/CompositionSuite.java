package io.parley.bench.suite;

import io.parley.bench.contender.Contender;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.worker.ProcessPair;
import io.parley.bench.worker.WaitMode;
import io.parley.bench.worker.WorkerException;
import java.util.List;
import java.util.Map;

/** Measures what the elements of a message cost: round trips of 20 KB in 1 to 20 elements. */
final class CompositionSuite implements Suite {

    @Override
    public String name() {
        return "composition";
    }

    @Override
    public String description() {
        return "Round-trip time of a message of 20 KB in 1, 5, 10 and 20 elements.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(Paper.COSTS.experiment("figure 6"));
    }

    @Override
    public List<String> contenderNames() {
        return List.of(
                "parley-pipe",
                "parley-pipe-tls",
                "parley-pipe-secure",
                "parley-pipe-secure-tls",
                "parley-topic-tls",
                "jxta-pipe",
                "jxta-pipe-secure",
                "jxta-pipe-propagate");
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        RoundResults times = new RoundResults();
        RoundResults costs = new RoundResults();
        try (ProcessPairPool pairs = new ProcessPairPool(context)) {
            pairs.runRounds(
                    "compositions", (contender, pair, round) -> measure(context, contender, pair, round, times, costs));
        }
        return List.of(
                experiment(
                        "composition",
                        "Round trip time of 20 KB by the number of elements",
                        "p50",
                        "µs",
                        RoundTripSuite.CPU_UNITS,
                        "The next message is sent from the callback that received the reply. " + Suites.rounds(context)
                                + CpuCost.METHOD,
                        times.figures(context.contenders())),
                experiment(
                                "composition-cost",
                                "Round trip time of 20 KB in several elements, to that in one element",
                                "ratio",
                                "to 1 x 20 KB",
                                Map.of(),
                                "Each round measures all compositions one after another, and has the ratio of each to one element"
                                        + " of 20 KB. " + Suites.rounds(context),
                                costs.figures(context.contenders()))
                        .with(JxtaCostStudy.COMPOSITION_NOTE, JxtaCostStudy.compositionCosts()));
    }

    private static void measure(
            SuiteContext context,
            Contender contender,
            ProcessPair pair,
            int round,
            RoundResults times,
            RoundResults costs)
            throws WorkerException, InterruptedException {
        WaitMode form = contender.eventDriven() ? WaitMode.EVENT : WaitMode.CALLER;
        double one = Double.NaN;
        for (Composition composition : Composition.values()) {
            pair.prepare(Composition.BYTES, composition.elements());
            RoundResults.Entry time = RoundTripSuite.measure(context, pair, form, round);
            RoundResults.Key key = new RoundResults.Key(contender.name(), composition.label(), Composition.BYTES);
            times.add(round, key, time);
            if (composition == Composition.ONE) {
                one = time.value();
            } else {
                costs.add(round, key, new RoundResults.Entry(time.value() / one, Map.of(), time.samples()));
            }
        }
    }

    private Experiment experiment(
            String id,
            String title,
            String value,
            String unit,
            Map<String, String> partUnits,
            String method,
            List<Figure> figures) {
        return new Experiment(
                name(),
                id,
                title,
                method,
                value,
                unit,
                partUnits,
                Experiment.Better.LESS,
                Experiment.Chart.BARS_BY_FORM,
                figures);
    }
}
