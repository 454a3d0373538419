package io.parley.bench.compression;

import io.parley.bench.worker.WorkerConsole;
import io.parley.message.MessageElement;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;

/**
 * A process that encodes and decodes the employee files with one scheme.
 *
 * <pre>
 *   encode RECORDS MILLIS   encodes repeatedly; responds with the processor time of the thread in nanoseconds, and the repetitions
 *   decode RECORDS MILLIS   the same with decoding
 * </pre>
 */
public final class CodingTimeMain {

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final CompressionScheme scheme;

    private CodingTimeMain(CompressionScheme scheme) {
        this.scheme = scheme;
    }

    /**
     * Runs until standard input ends.
     *
     * @param args the label of the scheme
     */
    public static void main(String[] args) {
        WorkerConsole console = WorkerConsole.take();
        console.runAndHalt(() -> {
            CodingTimeMain program = new CodingTimeMain(CompressionScheme.labelled(args[0]));
            console.ready(0, "-", "");
            console.obey(command -> program.run(command[0], Integer.parseInt(command[1]), Long.parseLong(command[2])));
        });
    }

    private String run(String step, int records, long millis) {
        MessageElement plain = CompressionScheme.element(records);
        MessageElement encoded = plain.withPayload(scheme.encode(plain));
        if (!decoded(encoded, plain.size()).equals(plain)) {
            throw new IllegalStateException(scheme.label() + ": the decoded file differs from the encoded one");
        }
        return switch (step) {
            case "encode" -> repeat(() -> scheme.encode(plain).size() == encoded.size(), millis);
            case "decode" -> repeat(() -> decoded(encoded, plain.size()).size() == plain.size(), millis);
            default -> throw WorkerConsole.unknown(new String[] {step});
        };
    }

    private MessageElement decoded(MessageElement encoded, long bytes) {
        return encoded.withPayload(scheme.scheme().decode(encoded, bytes));
    }

    private static String repeat(Step step, long millis) {
        long processor = THREADS.getCurrentThreadCpuTime();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        long repetitions = 0;
        do {
            if (!step.run()) {
                throw new IllegalStateException("size: differs from that of the first repetition");
            }
            repetitions++;
        } while (System.nanoTime() - end < 0);
        return THREADS.getCurrentThreadCpuTime() - processor + " " + repetitions;
    }

    private interface Step {
        /** Encodes or decodes once. Returns whether the size of the result is right. */
        boolean run();
    }
}
