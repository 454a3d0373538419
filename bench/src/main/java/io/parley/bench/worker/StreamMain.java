package io.parley.bench.worker;

import io.parley.bench.stream.ProcessorMeter;
import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamEnd;
import io.parley.bench.stream.StreamExchange;
import io.parley.bench.stream.StreamRegistry;
import io.parley.bench.stream.StreamResponder;
import io.parley.bench.stream.StreamSite;
import java.nio.file.Path;

/**
 * The main class of the processes of a stream contender.
 *
 * <pre>
 *   serve NAME HOST HOME
 *   connect NAME HOST HOME ADDRESS
 *     exchange FORM BYTES NANOS MAX_COUNT   responds with the number of blocks, their time and its histogram
 *     exchange-cpu                          responds with the processor time of the last exchange, also when serving
 *     connections COUNT
 *     all-exchange BYTES NANOS MAX_COUNT    the same on all connections at once: ping-pong
 * </pre>
 *
 * It ends when its standard input ends.
 */
final class StreamMain {

    static final String SERVE = "serve";
    static final String CONNECT = "connect";

    private final WorkerConsole console;
    private final StreamContender contender;
    private final StreamSite site;

    private StreamMain(WorkerConsole console, StreamContender contender, StreamSite site) {
        this.console = console;
        this.contender = contender;
        this.site = site;
    }

    /** Runs until standard input ends. */
    public static void main(String[] args) {
        WorkerConsole console = WorkerConsole.take();
        console.runAndHalt(() -> {
            StreamMain program =
                    new StreamMain(console, StreamRegistry.named(args[1]), new StreamSite(args[2], Path.of(args[3])));
            if (args[0].equals(SERVE)) {
                program.serve();
            } else {
                program.connect(args[4]);
            }
        });
    }

    private void serve() throws Exception {
        try (StreamContender.Server server = contender.serve(site)) {
            ProcessorMeter meter = new ProcessorMeter(CpuTimeCounter::nanosSoFar);
            start("bench-accept", () -> acceptAll(server, meter));
            console.ready(0, server.address(), contender.details());
            console.obey(command -> switch (command[0]) {
                case "cpu" -> Long.toString(CpuTimeCounter.nanosSoFar());
                case "exchange-cpu" -> Long.toString(meter.nanos());
                default -> throw WorkerConsole.unknown(command);
            });
        }
    }

    private static void acceptAll(StreamContender.Server server, ProcessorMeter meter) throws Exception {
        while (true) {
            StreamEnd end = server.accept();
            start("bench-respond", () -> {
                try (end) {
                    new StreamResponder(end, meter).run();
                }
            });
        }
    }

    /** Starts a thread. Its failure ends what it serves, so that the client fails too; the log has the reason. */
    private static void start(String name, WorkerConsole.Program program) {
        Thread thread = new Thread(
                () -> {
                    try {
                        program.run();
                    } catch (Exception failed) {
                        throw new IllegalStateException(name + ": failed", failed);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    private void connect(String address) throws Exception {
        try (StreamConnections connections = new StreamConnections(contender.connect(address, site))) {
            console.ready(0, address, contender.details());
            console.obey(command -> switch (command[0]) {
                case "cpu" -> Long.toString(CpuTimeCounter.nanosSoFar());
                case "exchange-cpu" -> Long.toString(connections.exchangeProcessorNanos());
                case "exchange" ->
                    connections.exchange(
                            StreamExchange.Form.valueOf(command[1]),
                            Integer.parseInt(command[2]),
                            Long.parseLong(command[3]),
                            Integer.parseInt(command[4]));
                case "connections" -> {
                    connections.resize(Integer.parseInt(command[1]));
                    yield "";
                }
                case "all-exchange" ->
                    connections.allPingPong(
                            Integer.parseInt(command[1]), Long.parseLong(command[2]), Integer.parseInt(command[3]));
                default -> throw WorkerConsole.unknown(command);
            });
        }
    }
}
