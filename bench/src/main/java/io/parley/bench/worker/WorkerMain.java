package io.parley.bench.worker;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.MessageCounter;
import io.parley.bench.contender.ProcessLocation;
import io.parley.bench.contender.ReplyDispatcher;
import java.nio.file.Path;

/**
 * One process of a contender.
 *
 * <pre>
 *   serve NAME ADVERTISED_PORT HOME
 *   connect NAME ADVERTISED_PORT HOME ADDRESS
 * </pre>
 *
 * It says {@code @bench ready PORT ADDRESS|DETAILS} on standard output, then answers commands; it ends with its input.
 */
public final class WorkerMain {

    /** The first word of the serving side. */
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
        ProcessLocation site = new ProcessLocation(Integer.parseInt(args[2]), Path.of(args[3]));
        if (args[0].equals(SERVE)) {
            serve(contender, site);
        } else {
            connect(contender, site, args[4]);
        }
    }

    private void serve(Contender contender, ProcessLocation site) throws Exception {
        MessageCounter tally = new MessageCounter();
        try (Contender.Server server = contender.serve(site, tally)) {
            console.ready(server.port(), server.address(), contender.details());
            console.obey(command -> switch (command[0]) {
                case "allocated" -> Long.toString(AllocationCounter.bytesSoFar());
                case "arrived" -> Long.toString(tally.arrived());
                default -> throw WorkerConsole.unknown(command);
            });
        }
    }

    private void connect(Contender contender, ProcessLocation site, String address) throws Exception {
        ReplyDispatcher replies = new ReplyDispatcher();
        try (ContenderClient link = contender.connect(address, site, replies)) {
            console.ready(link.port(), address, contender.details());
            MeasurementDriver driver = new MeasurementDriver(link, replies);
            console.obey(command -> switch (command[0]) {
                case "allocated" -> Long.toString(AllocationCounter.bytesSoFar());
                case "prepare" -> {
                    link.prepare(Integer.parseInt(command[1]));
                    yield "";
                }
                case "round-trips" ->
                    driver.roundTrips(
                            WaitMode.valueOf(command[1]), Long.parseLong(command[2]), Long.parseLong(command[3]));
                case "flood" -> Long.toString(driver.flood(Long.parseLong(command[1])));
                default -> throw WorkerConsole.unknown(command);
            });
        }
    }
}
