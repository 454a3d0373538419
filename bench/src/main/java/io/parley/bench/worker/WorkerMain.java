package io.parley.bench.worker;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import java.nio.file.Path;

/**
 * The main class of a contender process.
 *
 * <pre>
 *   serve NAME ADVERTISED_PORT HOME
 *   connect NAME ADVERTISED_PORT HOME ADDRESS
 * </pre>
 *
 * The process writes {@code @bench ready PORT ADDRESS|DETAILS} to standard output and then replies to commands. It ends
 * when its standard input ends.
 */
public final class WorkerMain {

    /** The first argument of the serving process. */
    static final String SERVE = "serve";

    private final WorkerConsole console;

    private WorkerMain(WorkerConsole console) {
        this.console = console;
    }

    /** Runs until standard input ends. */
    public static void main(String[] args) {
        WorkerConsole console = WorkerConsole.take();
        console.runAndHalt(() -> new WorkerMain(console).run(args));
    }

    private void run(String[] args) throws Exception {
        Contender contender = ContenderRegistry.named(args[1]);
        ProcessLocation location = new ProcessLocation(Integer.parseInt(args[2]), Path.of(args[3]));
        if (args[0].equals(SERVE)) {
            serve(contender, location);
        } else {
            connect(contender, location, args[4]);
        }
    }

    private void serve(Contender contender, ProcessLocation location) throws Exception {
        MessageCounter counter = new MessageCounter();
        try (Contender.Server server = contender.serve(location, counter)) {
            console.ready(server.port(), server.address(), contender.details());
            console.obey(command -> switch (command[0]) {
                case "allocated" -> Long.toString(AllocationCounter.bytesSoFar());
                case "cpu" -> Long.toString(CpuTimeCounter.nanosSoFar());
                case "arrived" -> Long.toString(counter.arrived());
                case "settled" -> Long.toString(SettledArrivals.await(counter));
                case "await-arrivals" ->
                    ArrivalCount.await(counter, Long.parseLong(command[1])).text();
                case "latencies" -> HistogramCodec.encode(counter.latencies());
                case "check" -> {
                    counter.requireIntact();
                    yield "";
                }
                default -> throw WorkerConsole.unknown(command);
            });
        }
    }

    private void connect(Contender contender, ProcessLocation location, String address) throws Exception {
        try (Connections connections = Connections.open(contender, address, location)) {
            console.ready(connections.first().client().port(), address, contender.details());
            MeasurementDriver driver = new MeasurementDriver(connections);
            console.obey(command -> switch (command[0]) {
                case "allocated" -> Long.toString(AllocationCounter.bytesSoFar());
                case "cpu" -> Long.toString(CpuTimeCounter.nanosSoFar());
                case "connections" -> {
                    connections.resize(Integer.parseInt(command[1]));
                    yield "";
                }
                case "prepare" -> {
                    connections.prepare(Integer.parseInt(command[1]), Integer.parseInt(command[2]));
                    yield "";
                }
                case "round-trips" ->
                    driver.roundTrips(
                            WaitMode.valueOf(command[1]), Long.parseLong(command[2]), Long.parseLong(command[3]));
                case "all-round-trips" -> driver.allRoundTrips(Long.parseLong(command[1]), Long.parseLong(command[2]));
                case "requests" -> driver.requests(Integer.parseInt(command[1]), Long.parseLong(command[2]));
                case "flood" -> Long.toString(driver.flood(Long.parseLong(command[1])));
                case "all-flood" -> Long.toString(driver.allFlood(Long.parseLong(command[1])));
                case "flood-forever" -> {
                    driver.floodForever();
                    yield "";
                }
                case "attempt" ->
                    driver.attempt(
                            Integer.parseInt(command[1]), Long.parseLong(command[2]), Long.parseLong(command[3]));
                case "paced" -> driver.paced(Long.parseLong(command[1]), Long.parseLong(command[2]));
                default -> throw WorkerConsole.unknown(command);
            });
        }
    }
}
