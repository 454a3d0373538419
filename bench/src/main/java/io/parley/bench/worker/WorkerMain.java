package io.parley.bench.worker;

import io.parley.bench.contender.Contender;
import io.parley.bench.contender.Link;
import io.parley.bench.contender.Replies;
import io.parley.bench.contender.Site;
import io.parley.bench.contender.Tally;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * One process of a contender.
 *
 * <pre>
 *   serve NAME ADVERTISED_PORT HOME
 *   connect NAME ADVERTISED_PORT HOME ADDRESS
 * </pre>
 *
 * It says {@code @bench ready PORT ADDRESS|DETAILS} on standard output, then answers each command line of its standard
 * input with one line that starts with {@code @bench ok} or {@code @bench error}; it ends with its input.
 */
public final class WorkerMain {

    /** The first word of the serving side. */
    static final String SERVE = "serve";

    static final String PREFIX = "@bench ";

    private final PrintStream out;

    private WorkerMain(PrintStream out) {
        this.out = out;
    }

    /** Runs until standard input ends. */
    public static void main(String[] args) throws IOException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err); // whatever a library prints must not look like an answer
        int status = new WorkerMain(out).run(args) ? 0 : 1;
        Runtime.getRuntime().halt(status); // JXTA leaves threads behind
    }

    private boolean run(String[] args) throws IOException {
        try {
            Contender contender = Contenders.named(args[1]);
            Site site = new Site(Integer.parseInt(args[2]), Path.of(args[3]));
            if (args[0].equals(SERVE)) {
                serve(contender, site);
            } else {
                connect(contender, site, args[4]);
            }
            return true;
        } catch (Exception failed) {
            failed.printStackTrace();
            say("error " + failed);
            return false;
        }
    }

    private void serve(Contender contender, Site site) throws Exception {
        Tally tally = new Tally();
        try (Contender.Server server = contender.serve(site, tally)) {
            say("ready " + server.port() + " " + server.address() + "|" + contender.details());
            obey(command -> switch (command[0]) {
                case "allocated" -> Long.toString(Allocation.bytesSoFar());
                case "arrived" -> Long.toString(tally.arrived());
                default -> throw unknown(command);
            });
        }
    }

    private void connect(Contender contender, Site site, String address) throws Exception {
        Replies replies = new Replies();
        try (Link link = contender.connect(address, site, replies)) {
            say("ready " + link.port() + " " + address + "|" + contender.details());
            Driver driver = new Driver(link, replies);
            obey(command -> switch (command[0]) {
                case "allocated" -> Long.toString(Allocation.bytesSoFar());
                case "prepare" -> {
                    link.prepare(Integer.parseInt(command[1]));
                    yield "";
                }
                case "round-trips" ->
                    driver.roundTrips(Form.valueOf(command[1]), Long.parseLong(command[2]), Long.parseLong(command[3]));
                case "flood" -> Long.toString(driver.flood(Long.parseLong(command[1])));
                default -> throw unknown(command);
            });
        }
    }

    private static IllegalArgumentException unknown(String[] command) {
        return new IllegalArgumentException("unknown command: " + String.join(" ", command));
    }

    private void obey(Command command) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            try {
                say("ok " + command.run(line.split(" ", -1)));
            } catch (Exception failed) {
                failed.printStackTrace();
                say("error " + failed);
            }
        }
    }

    private void say(String line) {
        out.println(PREFIX + line.replace('\n', ' '));
    }

    private interface Command {
        String run(String[] words) throws Exception;
    }
}
