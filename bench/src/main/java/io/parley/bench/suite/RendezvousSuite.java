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

/** What one rendezvous can do. */
final class RendezvousSuite implements Suite {

    private static final String NAME = "rendezvous";
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int CLIENTS = 8;
    private static final int UNDER_WAY = 16;
    private static final String PER_PROCESSOR = "per second and processor";
    private static final String PER_SECOND = "per second";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String sentence() {
        return "How many questions one rendezvous answers in a second that indexes 100,000 advertisements.";
    }

    @Override
    public List<Experiment> run(SuiteContext session) throws Exception {
        boolean tiny = session.budget().isTiny();
        int indexed = tiny ? 1000 : 100_000;
        long millis = tiny ? 10 : session.budget().isFull() ? 5000 : 2000;
        int warmUp = tiny ? 0 : session.budget().isFull() ? 4 : 3;
        int published = tiny ? 10 : 500;
        session.progress("a rendezvous with %,d advertisements".formatted(indexed));
        try (WorkerProcess rendezvous =
                WorkerProcess.start(RendezvousMain.class, session.logs(), List.of(Integer.toString(indexed)))) {
            String address = "tcp://127.0.0.1:" + rendezvous.ready().port();
            try (WorkerProcess clients = WorkerProcess.start(
                    ClientsMain.class,
                    session.logs(),
                    List.of(address, Integer.toString(indexed), Integer.toString(CLIENTS)))) {
                clients.ready();
                Load load = new Load(session, rendezvous, clients, warmUp);
                return List.of(
                        experiment(
                                "rendezvous-finds",
                                "Questions that a rendezvous answers",
                                "A pipe by its name among %,d advertisements; the client verifies the advertisement. "
                                        .formatted(indexed),
                                load.measure("questions", "find %d %d".formatted(millis, UNDER_WAY))),
                        experiment(
                                "rendezvous-publications",
                                "Publications that a rendezvous takes",
                                "New pipe advertisements in messages of a hundred or fewer, each of which is verified. ",
                                load.measure("publications", "publish " + published)));
            }
        }
    }

    private static Experiment experiment(String id, String question, String method, List<Figure> figures) {
        return new Experiment(
                NAME,
                id,
                question,
                method
                        + "%d clients in a process of their own over TLS on loopback, %d questions of each under way. "
                                .formatted(CLIENTS, UNDER_WAY)
                        + "Shown is how many there were for each second of processor time of the rendezvous.",
                PER_PROCESSOR,
                "1/s",
                Experiment.Better.MORE,
                Experiment.Chart.BARS_BY_FORM,
                figures);
    }

    /** The clients' work and what it costs the rendezvous. */
    private record Load(SuiteContext session, WorkerProcess rendezvous, WorkerProcess clients, int warmUp) {

        private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

        List<Figure> measure(String what, String command) throws WorkerException, InterruptedException {
            List<Double> perProcessor = new ArrayList<>();
            List<Double> perSecond = new ArrayList<>();
            long samples = 0;
            for (int round = -warmUp; round < session.budget().rounds(); round++) {
                session.progress(round < 0 ? what + ", warm-up" : what + ", round " + (round + 1));
                long processor = processor();
                long start = System.nanoTime();
                long done = Long.parseLong(clients.ask(command, PATIENCE));
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
                    what,
                    0,
                    Spread.of(perProcessor),
                    Map.of(PER_SECOND, Spread.of(perSecond)),
                    samples,
                    Map.of()));
        }

        private long processor() throws WorkerException, InterruptedException {
            return Long.parseLong(rendezvous.ask("cpu", PATIENCE));
        }
    }
}
