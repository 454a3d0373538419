package io.parley.bench.suite;

import io.parley.bench.parley.DensityClientsMain;
import io.parley.bench.parley.DensityMain;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import io.parley.bench.worker.ProcessMemory;
import io.parley.bench.worker.WorkerException;
import io.parley.bench.worker.WorkerProcess;
import io.parley.transport.TransportSecurity;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures the memory of idle connections, channels and peers, and the threads of many peers in one JVM. */
final class DensitySuite implements Suite {

    private static final String NAME = "density";
    private static final String PARLEY = "parley";
    private static final Duration TIMEOUT = Duration.ofMinutes(8);
    private static final List<String> JVM_OPTIONS = List.of("-Xms16m", "-Xmx512m");
    private static final int CONNECTIONS_PER_PROCESS = 2500;
    private static final double BYTES_PER_KIB = 1024;

    /** The open files of a process with one connection each, in addition to those of the connections. */
    private static final int OTHER_FILES = 200;

    private static final String MEMORY =
            "Memory of the measured process after a full collection, minus that before, divided by"
                    + " the number: resident set (from the operating system), used heap, direct buffers, and native memory (the rest"
                    + " of the resident set without the committed heap). The process runs with -Xmx512m. ";

    /** The numbers of a run. */
    private record Counts(int warmUp, int connections, int channels, List<Integer> peers) {

        static Counts of(TimeBudget budget) {
            if (budget.isTiny()) {
                return new Counts(2, 5, 5, List.of(1, 3, 5));
            }
            return budget.isFull()
                    ? new Counts(1000, 10_000, 1000, List.of(1, 50, 500))
                    : new Counts(500, 2000, 1000, List.of(1, 50, 500));
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "Memory of idle connections, channels and peers, and threads of many peers in one JVM.";
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        Counts counts = Counts.of(context.budget());
        List<Figure> connections = new ArrayList<>();
        List<Figure> channels = new ArrayList<>();
        for (TransportSecurity security : TransportSecurity.values()) {
            try {
                measureConnections(context, counts, security, connections, channels);
            } catch (IOException | WorkerException e) {
                context.failed(NAME + ", " + label(security), e, true);
            }
        }
        List<Figure> peers = new ArrayList<>();
        List<Figure> threads = new ArrayList<>();
        try {
            measurePeers(context, counts, peers, threads);
        } catch (IOException | WorkerException e) {
            context.failed(NAME + ", peers", e, true);
        }
        return List.of(
                experiment(
                        "density-connections",
                        "Memory of an idle connection",
                        MEMORY
                                + ("%,d connections to one peer, from endpoints in other processes, after %,d more as a warm-up."
                                                + " maxConnections is %,d.")
                                        .formatted(
                                                counts.connections, counts.warmUp, DensityMain.LIMITS.maxConnections()),
                        "resident",
                        "KiB",
                        connections),
                experiment(
                        "density-channels",
                        "Memory of an idle channel",
                        MEMORY
                                + "%,d channels on one connection, to one service with the smallest window. Each has carried one message."
                                        .formatted(counts.channels),
                        "heap",
                        "KiB",
                        channels),
                experiment(
                        "density-peers",
                        "Memory of a peer",
                        MEMORY + "Peers in one JVM, each with a TCP server, compared with a process that has one peer.",
                        "resident",
                        "KiB",
                        peers),
                experiment(
                        "density-threads",
                        "Threads of many peers",
                        "Live threads of a JVM with idle peers, each with a TCP server; those of the JVM itself included.",
                        "threads",
                        "threads",
                        threads));
    }

    private static Experiment experiment(
            String id, String title, String method, String value, String unit, List<Figure> figures) {
        return new Experiment(
                NAME, id, title, method, value, unit, Experiment.Better.LESS, Experiment.Chart.BARS_BY_FORM, figures);
    }

    private static String label(TransportSecurity security) {
        return security == TransportSecurity.TLS ? "TLS" : "plain text";
    }

    private static void measureConnections(
            SuiteContext context,
            Counts counts,
            TransportSecurity security,
            List<Figure> connections,
            List<Figure> channels)
            throws IOException, WorkerException, InterruptedException {
        List<WorkerProcess> clients = new ArrayList<>();
        try (WorkerProcess measured = startMeasured(context, security)) {
            String address = measured.ready().address();
            int all = counts.warmUp + counts.connections;
            measured.request("files " + (all + OTHER_FILES), TIMEOUT);
            WorkerProcess first = startClients(context, clients, address, security);
            first.request("connect " + counts.warmUp, TIMEOUT);
            ProcessMemory base = memory(measured);
            for (int open = 0; open < counts.connections; open += CONNECTIONS_PER_PROCESS) {
                int more = Math.min(CONNECTIONS_PER_PROCESS, counts.connections - open);
                context.progress("%s: %,d connections".formatted(label(security), open + more));
                startClients(context, clients, address, security).request("connect " + more, TIMEOUT);
            }
            ProcessMemory connected = memory(measured);
            measured.request("connections " + all, TIMEOUT);
            connections.add(figure(
                    label(security), counts.connections, growth(base, connected, counts.connections), "resident"));
            context.progress("%s: %,d channels".formatted(label(security), counts.channels));
            first.request("channels " + counts.channels, TIMEOUT);
            channels.add(figure(
                    label(security), counts.channels, growth(connected, memory(measured), counts.channels), "heap"));
        } finally {
            clients.forEach(WorkerProcess::close);
        }
    }

    private static WorkerProcess startMeasured(SuiteContext context, TransportSecurity security) throws IOException {
        return WorkerProcess.start(DensityMain.class, JVM_OPTIONS, context.logs(), List.of(security.name()));
    }

    private static WorkerProcess startClients(
            SuiteContext context, List<WorkerProcess> clients, String address, TransportSecurity security)
            throws IOException, WorkerException, InterruptedException {
        WorkerProcess started = WorkerProcess.start(
                DensityClientsMain.class, List.of(), context.logs(), List.of(address, security.name()));
        clients.add(started);
        started.ready();
        return started;
    }

    private static void measurePeers(SuiteContext context, Counts counts, List<Figure> peers, List<Figure> threads)
            throws IOException, WorkerException, InterruptedException {
        try (WorkerProcess measured = startMeasured(context, TransportSecurity.TLS)) {
            measured.ready();
            ProcessMemory base = memory(measured);
            for (int count : counts.peers) {
                context.progress("%,d peers in one JVM".formatted(count));
                measured.request("peers " + count, TIMEOUT);
                ProcessMemory memory = memory(measured);
                String form = count == 1 ? "1 peer" : "%,d peers".formatted(count);
                threads.add(figure(form, count, Map.of("threads", (double) memory.threads()), "threads"));
                if (count > 1) {
                    peers.add(figure(form, count, growth(base, memory, count - 1), "resident"));
                }
            }
        }
    }

    private static ProcessMemory memory(WorkerProcess measured) throws WorkerException, InterruptedException {
        return ProcessMemory.parse(measured.request("memory", TIMEOUT));
    }

    /** Returns the growth of each kind of memory, in KiB for each unit. */
    private static Map<String, Double> growth(ProcessMemory before, ProcessMemory after, int units) {
        Map<String, Double> growth = new LinkedHashMap<>();
        growth.put("resident", kib(after.resident() - before.resident(), units));
        growth.put("heap", kib(after.heap() - before.heap(), units));
        growth.put("direct", kib(after.direct() - before.direct(), units));
        growth.put("native", kib(after.nativeBytes() - before.nativeBytes(), units));
        return growth;
    }

    private static double kib(long bytes, int units) {
        return Math.max(0, bytes) / BYTES_PER_KIB / units;
    }

    private static Figure figure(String form, int samples, Map<String, Double> values, String main) {
        Map<String, Spread> parts = new LinkedHashMap<>();
        values.forEach((part, value) -> parts.put(part, Spread.of(List.of(value))));
        Spread value = parts.remove(main);
        if (value == null) {
            throw new IllegalArgumentException("part: " + main + " (expected: one of " + values.keySet() + ")");
        }
        return new Figure(PARLEY, form, 0, value, parts, samples, Map.of());
    }
}
