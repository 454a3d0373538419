package io.parley.bench.worker;

import io.parley.bench.contender.FanOutContender;
import io.parley.bench.contender.FanOutReceipt;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The main class of the processes of a contender with many receivers.
 *
 * <pre>
 *   publish NAME
 *     await-receivers COUNT
 *     prepare BYTES
 *     publish MESSAGES     responds with the time before the first message and the checksum of all
 *   receive NAME ADDRESS
 *     receivers COUNT DROPPING
 *     expect MESSAGES
 *     await                responds with the time of the last message at the last receiver and the checksum
 * </pre>
 *
 * It ends when its standard input ends. Times are those of {@link System#nanoTime}, which are the same in all processes of a machine.
 */
final class FanOutMain {

    static final String PUBLISH = "publish";
    static final String RECEIVE = "receive";

    /** The time after the last message was sent. */
    private static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(20);

    private static final long RECEIVERS_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long POLL_MILLIS = 5;

    private final WorkerConsole console;
    private final FanOutContender contender;

    private FanOutMain(WorkerConsole console, FanOutContender contender) {
        this.console = console;
        this.contender = contender;
    }

    /** Runs until standard input ends. */
    public static void main(String[] args) {
        WorkerConsole console = WorkerConsole.take();
        console.runAndHalt(() -> {
            FanOutMain program = new FanOutMain(console, FanOutRegistry.named(args[1]));
            if (args[0].equals(PUBLISH)) {
                program.publish();
            } else {
                program.receive(args[2]);
            }
        });
    }

    private void publish() throws Exception {
        try (FanOutContender.Publisher publisher = contender.publish()) {
            PublisherCommands commands = new PublisherCommands(publisher);
            console.ready(0, publisher.address(), contender.details());
            console.obey(command -> switch (command[0]) {
                case "cpu" -> Long.toString(CpuTimeCounter.nanosSoFar());
                case "await-receivers" -> commands.awaitReceivers(Integer.parseInt(command[1]));
                case "prepare" -> commands.prepare(Integer.parseInt(command[1]));
                case "publish" -> commands.publish(Long.parseLong(command[1]));
                default -> throw WorkerConsole.unknown(command);
            });
        }
    }

    private void receive(String address) throws Exception {
        try (FanOutReceivers receivers = new FanOutReceivers(contender, address)) {
            console.ready(0, address, contender.details());
            console.obey(command -> switch (command[0]) {
                case "cpu" -> Long.toString(CpuTimeCounter.nanosSoFar());
                case "receivers" -> {
                    receivers.resize(Integer.parseInt(command[1]), Boolean.parseBoolean(command[2]));
                    yield "";
                }
                case "expect" -> {
                    receivers.receipts().forEach(receipt -> receipt.expect(Long.parseLong(command[1])));
                    yield "";
                }
                case "await" -> await(receivers.receipts());
                default -> throw WorkerConsole.unknown(command);
            });
        }
    }

    /** Returns the time of the last message at the last receiver, and the checksum, which must be the same at each. */
    private static String await(List<FanOutReceipt> receipts) throws InterruptedException, TimeoutException {
        long last = receipts.get(0).await(AWAIT_TIMEOUT);
        long checksum = receipts.get(0).checksum();
        for (FanOutReceipt receipt : receipts) {
            long nanos = receipt.await(AWAIT_TIMEOUT);
            last = nanos - last > 0 ? nanos : last;
            if (receipt.checksum() != checksum) {
                throw new IllegalStateException(
                        "checksums of two receivers: %d and %d".formatted(checksum, receipt.checksum()));
            }
        }
        return last + " " + checksum;
    }

    /** The commands of the publishing process. */
    private static final class PublisherCommands {

        private final FanOutContender.Publisher publisher;
        private int bytes;

        private PublisherCommands(FanOutContender.Publisher publisher) {
            this.publisher = publisher;
        }

        String awaitReceivers(int count) throws InterruptedException, TimeoutException {
            long start = System.nanoTime();
            while (publisher.receivers() != count) {
                if (System.nanoTime() - start > RECEIVERS_TIMEOUT_NANOS) {
                    throw new TimeoutException("receivers: %d (expected: %d)".formatted(publisher.receivers(), count));
                }
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
            return "";
        }

        String prepare(int messageBytes) {
            bytes = messageBytes;
            publisher.prepare(messageBytes);
            return "";
        }

        String publish(long messages) throws InterruptedException {
            long start = System.nanoTime();
            for (long sequence = 0; sequence < messages; sequence++) {
                publisher.send(sequence);
            }
            return start + " " + FanOutReceipt.checksum(bytes, messages);
        }
    }
}
