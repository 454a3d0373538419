package io.parley.bench.worker;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Link;
import io.parley.bench.contender.Replies;
import io.parley.bench.contender.Site;
import io.parley.bench.contender.Tally;
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

    private final Console console;

    private WorkerMain(Console console) {
        this.console = console;
    }

    /** Runs until standard input ends. */
    public static void main(String[] args) {
        Console console = Console.take();
        console.runAndHalt(() -> new WorkerMain(console).run(args));
    }

    private void run(String[] args) throws Exception {
        Contender contender = Contenders.named(args[1]);
        Site site = new Site(Integer.parseInt(args[2]), Path.of(args[3]));
        if (args[0].equals(SERVE)) {
            serve(contender, site);
        } else {
            connect(contender, site, args[4]);
        }
    }

    private void serve(Contender contender, Site site) throws Exception {
        Tally tally = new Tally();
        try (Contender.Server server = contender.serve(site, tally)) {
            console.ready(server.port(), server.address(), contender.details());
            console.obey(command -> switch (command[0]) {
                case "allocated" -> Long.toString(Allocation.bytesSoFar());
                case "arrived" -> Long.toString(tally.arrived());
                default -> throw Console.unknown(command);
            });
        }
    }

    private void connect(Contender contender, Site site, String address) throws Exception {
        Replies replies = new Replies();
        try (Link link = contender.connect(address, site, replies)) {
            console.ready(link.port(), address, contender.details());
            Driver driver = new Driver(link, replies);
            console.obey(command -> switch (command[0]) {
                case "allocated" -> Long.toString(Allocation.bytesSoFar());
                case "prepare" -> {
                    link.prepare(Integer.parseInt(command[1]));
                    yield "";
                }
                case "round-trips" ->
                    driver.roundTrips(Form.valueOf(command[1]), Long.parseLong(command[2]), Long.parseLong(command[3]));
                case "flood" -> Long.toString(driver.flood(Long.parseLong(command[1])));
                default -> throw Console.unknown(command);
            });
        }
    }
}
