package io.parley.bench.suite;

import io.parley.bench.parley.GroupMain;
import io.parley.bench.parley.GroupMain.Cost;
import io.parley.bench.result.Experiment;
import io.parley.bench.result.Figure;
import io.parley.bench.result.Spread;
import io.parley.bench.worker.ProcessMemory;
import io.parley.bench.worker.WorkerException;
import io.parley.bench.worker.WorkerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Measures what a member costs a group, by the size of the group, and messages to all members. */
final class GroupsSuite implements Suite {

    private static final String NAME = "groups";
    private static final String PARLEY = "parley";
    private static final Duration TIMEOUT = Duration.ofMinutes(10);
    private static final List<String> JVM_OPTIONS = List.of("-Xmx3g");
    private static final int PAYLOAD_BYTES = 64;
    private static final double NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final double BYTES_PER_KIB = 1024;

    /** The figures of the paper at 768 members, of its server. */
    private static final String PAPER_COMPLETE = "complete view, server of the paper";

    private static final String PAPER_TREE = "tree of the paper, its server";
    private static final int PAPER_MEMBERS = 768;

    private final List<Figure> cycles = new ArrayList<>();
    private final List<Figure> traffic = new ArrayList<>();
    private final List<Figure> latency = new ArrayList<>();
    private final List<Figure> memory = new ArrayList<>();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "Cost of joining and leaving a group of up to 2,000 members, and messages to all of them.";
    }

    @Override
    public List<PaperExperiment> paperExperiments() {
        return List.of(Paper.SUBSTRATE.experiment("table 1, figure 3"));
    }

    @Override
    public List<Experiment> run(SuiteContext context) throws Exception {
        List<Integer> sizes = context.budget().isTiny()
                ? List.of(3, 6)
                : context.budget().isFull()
                        ? List.of(16, 64, 256, PAPER_MEMBERS, 2000)
                        : List.of(16, 64, 256, PAPER_MEMBERS);
        try (WorkerProcess group = WorkerProcess.start(GroupMain.class, JVM_OPTIONS, context.logs(), List.of())) {
            group.ready();
            long heap = ProcessMemory.parse(group.request("memory", TIMEOUT)).heap();
            for (int size : sizes) {
                context.progress("%,d members".formatted(size));
                group.request("members " + size, TIMEOUT);
                measure(context, group, size);
                long now = ProcessMemory.parse(group.request("memory", TIMEOUT)).heap();
                memory.add(figure(size, List.of((now - heap) / BYTES_PER_KIB / size), Map.of(), 1));
                context.keep(experiments());
            }
        } catch (WorkerException e) {
            context.failed(NAME, e, true);
        }
        return experiments();
    }

    private void measure(SuiteContext context, WorkerProcess group, int size)
            throws WorkerException, InterruptedException {
        boolean tiny = context.budget().isTiny();
        int count = tiny ? 1 : 10;
        long idleMillis = tiny ? 10 : 5000;
        List<Double> cpu = new ArrayList<>();
        List<Double> kib = new ArrayList<>();
        List<Double> messages = new ArrayList<>();
        for (int round = tiny ? 0 : -1; round < context.budget().rounds(); round++) {
            Cost idle = Cost.parse(group.request("idle " + idleMillis, TIMEOUT));
            long start = System.nanoTime();
            Cost cost = Cost.parse(group.request("cycles " + count, TIMEOUT));
            double share = (System.nanoTime() - start) / NANOS_PER_MILLI / idleMillis;
            if (round >= 0) {
                cpu.add(Math.max(0, cost.cpuNanos() - share * idle.cpuNanos()) / NANOS_PER_MILLI / count);
                kib.add(Math.max(0, cost.bytes() - share * idle.bytes()) / BYTES_PER_KIB / count);
                messages.add(Math.max(0, cost.messages() - share * idle.messages()) / count);
            }
        }
        cycles.add(figure(size, cpu, Map.of(), (long) count * cpu.size()));
        traffic.add(figure(size, kib, Map.of("messages", Spread.of(messages)), (long) count * cpu.size()));
        int casts = tiny ? 2 : 50;
        group.request("groupcast " + casts + " " + PAYLOAD_BYTES, TIMEOUT);
        List<Double> millis = Stream.of(group.request("groupcast " + casts + " " + PAYLOAD_BYTES, TIMEOUT)
                        .split(" "))
                .map(nanos -> Long.parseLong(nanos) / NANOS_PER_MILLI)
                .toList();
        latency.add(figure(size, millis, Map.of(), millis.size()));
    }

    private static Figure figure(int size, List<Double> values, Map<String, Spread> parts, long samples) {
        return new Figure(PARLEY, label(size), 0, Spread.of(values), new LinkedHashMap<>(parts), samples, Map.of());
    }

    private static String label(int size) {
        return "%,d members".formatted(size);
    }

    private static Figure paper(String name, double value) {
        return new Figure(name, label(PAPER_MEMBERS), 0, new Spread(value, value, value), Map.of(), 0, Map.of());
    }

    private List<Experiment> experiments() {
        String network = "All members and their rendezvous are in one process, on a network in memory without TLS. ";
        String cycle =
                network + "One more member opens its view, waits for the first neighbor, and closes the view: once more"
                        + " and again. The cost of the idle group in the same time is subtracted. ";
        return List.of(
                experiment(
                        "groups-cycle",
                        "Processor time of one member that joins and leaves",
                        cycle + "The figure is the processor time of all members and the rendezvous together.",
                        "processor time",
                        "ms",
                        Map.of(),
                        withPaper(cycles, 288, 77)),
                experiment(
                        "groups-traffic",
                        "Traffic of one member that joins and leaves",
                        cycle + "The figure is the size of all messages, without frames.",
                        "traffic",
                        "KiB",
                        Map.of("messages", "messages"),
                        withPaper(traffic, 1025, 39)),
                experiment(
                        "groups-latency",
                        "Time until the last member has a message",
                        network
                                + "Messages of %d bytes to all members, one by one; from the call to the last listener."
                                        .formatted(PAYLOAD_BYTES),
                        "median",
                        "ms",
                        Map.of(),
                        latency),
                experiment(
                        "groups-memory",
                        "Heap of a member",
                        network
                                + "The heap after a full collection, without that before the first member, divided by the members:"
                                + " a peer with its endpoint, group, view and its share of the rendezvous.",
                        "heap",
                        "KiB",
                        Map.of(),
                        memory));
    }

    private static List<Figure> withPaper(List<Figure> measured, double complete, double tree) {
        boolean comparable = measured.stream().anyMatch(figure -> figure.form().equals(label(PAPER_MEMBERS)));
        return comparable
                ? Stream.concat(measured.stream(), Stream.of(paper(PAPER_COMPLETE, complete), paper(PAPER_TREE, tree)))
                        .toList()
                : List.copyOf(measured);
    }

    private static Experiment experiment(
            String id,
            String title,
            String method,
            String value,
            String unit,
            Map<String, String> partUnits,
            List<Figure> figures) {
        return new Experiment(
                NAME,
                id,
                title,
                method,
                value,
                unit,
                partUnits,
                Experiment.Better.LESS,
                Experiment.Chart.BARS_BY_FORM,
                List.copyOf(figures));
    }
}
