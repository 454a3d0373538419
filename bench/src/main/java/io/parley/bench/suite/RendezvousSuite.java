package io.parley.bench.suite;

import io.parley.bench.parley.ClientsMain;
import io.parley.bench.parley.RendezvousMain;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import io.parley.bench.worker.WorkerException;
import io.parley.bench.worker.WorkerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Measures the capacity of one rendezvous. */
final class RendezvousSuite implements Suite {

    private static final String NAME = "rendezvous";
    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final int CLIENTS = 8;
    private static final int MAX_PENDING = 16;
    private static final String PER_PROCESSOR = "per second and processor";
    private static final String PER_SECOND = "per second";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "Queries per second that one rendezvous serves with an index of 100,000 advertisements.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(Paper.COSTS.experiment("future work: queries at a rendezvous"));
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        boolean tiny = context.budget().isTiny();
        int indexed = tiny ? 1000 : 100_000;
        long millis = tiny ? 10 : context.budget().isFull() ? 2500 : 2000;
        int warmUp = tiny ? 0 : context.budget().isFull() ? 4 : 3;
        int published = tiny ? 10 : 500;
        context.progress("rendezvous with %,d advertisements".formatted(indexed));
        try (WorkerProcess rendezvous =
                WorkerProcess.start(RendezvousMain.class, context.logs(), List.of(Integer.toString(indexed)))) {
            String address = "tcp://127.0.0.1:" + rendezvous.ready().port();
            try (WorkerProcess clients = WorkerProcess.start(
                    ClientsMain.class,
                    context.logs(),
                    List.of(address, Integer.toString(indexed), Integer.toString(CLIENTS)))) {
                clients.ready();
                Load load = new Load(context, rendezvous, clients, warmUp);
                Experiment finds = experiment(
                        "rendezvous-finds",
                        "Queries served by one rendezvous",
                        "Search for a pipe by its name; the client verifies the advertisement. Advertisements: %,d. "
                                .formatted(indexed),
                        load.measure("questions", "find %d %d".formatted(millis, MAX_PENDING)));
                context.keep(List.of(finds));
                Experiment publications = experiment(
                        "rendezvous-publications",
                        "Publications accepted by one rendezvous",
                        "New pipe advertisements in messages of at most 100; the rendezvous verifies each"
                                + " advertisement. ",
                        load.measure("publications", "publish " + published));
                return List.of(finds, publications);
            }
        }
    }

    private static Experiment experiment(String id, String title, String method, List<Figure> figures) {
        return new Experiment(
                NAME,
                id,
                title,
                method
                        + "%d clients in a separate process, over TLS on loopback; each has up to %d pending requests. "
                                .formatted(CLIENTS, MAX_PENDING)
                        + "The figure is the rate per second of processor time of the rendezvous.",
                PER_PROCESSOR,
                "1/s",
                Experiment.Better.MORE,
                Experiment.Chart.BARS_BY_FORM,
                figures);
    }

    /** Generates load with the clients and measures its cost at the rendezvous. */
    private record Load(SuiteContext context, WorkerProcess rendezvous, WorkerProcess clients, int warmUp) {

        private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

        List<Figure> measure(String form, String command) throws WorkerException, InterruptedException {
            List<Double> perProcessor = new ArrayList<>();
            List<Double> perSecond = new ArrayList<>();
            long samples = 0;
            for (int round = -warmUp; round < context.budget().rounds(); round++) {
                context.progress(round < 0 ? form + ", warm-up" : form + ", round " + (round + 1));
                long processor = processor();
                long start = System.nanoTime();
                long done = Long.parseLong(clients.request(command, TIMEOUT));
                double seconds = (System.nanoTime() - start) / NANOS_PER_SECOND;
                double processorSeconds = (processor() - processor) / NANOS_PER_SECOND;
                if (round >= 0) {
                    perProcessor.add(done / processorSeconds);
                    perSecond.add(done / seconds);
                    samples += done;
                }
            }
            return List.of(new Figure(
                    "parley",
                    form,
                    0,
                    Spread.of(perProcessor),
                    Map.of(PER_SECOND, Spread.of(perSecond)),
                    samples,
                    Map.of()));
        }

        private long processor() throws WorkerException, InterruptedException {
            return Long.parseLong(rendezvous.request("cpu", TIMEOUT));
        }
    }
}
