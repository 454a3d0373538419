package io.parley.bench.worker;

import io.parley.bench.contender.FanOutContender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The runner's handle on the processes of a contender with many receivers: one publishes, one has all receivers. A third one can have
 * one more receiver, which drops messages and can be stopped. After a {@link WorkerException} the processes are unusable and must be
 * closed. Not thread-safe.
 */
public final class FanOutProcesses implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final FanOutContender contender;
    private final Path logs;
    private final WorkerProcess publisher;
    private final WorkerProcess receivers;
    private final String address;
    private final String details;
    private @Nullable WorkerProcess dropping;
    private int receiverCount;

    private FanOutProcesses(
            FanOutContender contender,
            Path logs,
            WorkerProcess publisher,
            WorkerProcess receivers,
            String address,
            String details) {
        this.contender = contender;
        this.logs = logs;
        this.publisher = publisher;
        this.receivers = receivers;
        this.address = address;
        this.details = details;
    }

    /** Starts both processes, without receivers, with logs in {@code folder}. */
    public static FanOutProcesses start(FanOutContender contender, Path folder)
            throws IOException, WorkerException, InterruptedException {
        Path logs = Files.createDirectories(folder);
        WorkerProcess publisher = start(contender, logs, FanOutMain.PUBLISH, List.of());
        try {
            WorkerProcess.Ready published = publisher.ready();
            WorkerProcess receivers = start(contender, logs, FanOutMain.RECEIVE, List.of(published.address()));
            try {
                return new FanOutProcesses(
                        contender,
                        logs,
                        publisher,
                        receivers,
                        published.address(),
                        receivers.ready().details());
            } catch (WorkerException | InterruptedException | RuntimeException failed) {
                receivers.close();
                throw failed;
            }
        } catch (IOException | WorkerException | InterruptedException | RuntimeException failed) {
            publisher.close();
            throw failed;
        }
    }

    private static WorkerProcess start(FanOutContender contender, Path logs, String role, List<String> arguments)
            throws IOException {
        List<String> all = new ArrayList<>(List.of(role, contender.name()));
        all.addAll(arguments);
        String name = contender.name() + " " + role;
        return WorkerProcess.startPlaced(
                role.equals(FanOutMain.RECEIVE),
                name,
                logs.resolve(name.replace(' ', '-') + ".log"),
                List.of(),
                FanOutMain.class,
                all);
    }

    /** Returns the choices of the contender at run time. */
    public String details() {
        return details;
    }

    /** Makes the receiving process have {@code count} receivers, if it has not, and waits until the publisher has them. */
    public void receivers(int count) throws WorkerException, InterruptedException {
        if (count != receiverCount) {
            receivers.request("receivers %d false".formatted(count), TIMEOUT);
            receiverCount = count;
        }
        awaitReceivers(count);
    }

    private void awaitReceivers(int count) throws WorkerException, InterruptedException {
        publisher.request("await-receivers " + count, TIMEOUT.multipliedBy(2));
    }

    /** Prepares messages of {@code bytes} bytes. */
    public void prepare(int bytes) throws WorkerException, InterruptedException {
        publisher.request("prepare " + bytes, TIMEOUT);
    }

    /**
     * Publishes {@code messages} messages as fast as the receivers allow. Returns the time from the first one until the last receiver
     * had all of them. Each receiver proves by a checksum that it did.
     */
    public Duration publish(long messages) throws WorkerException, InterruptedException {
        receivers.request("expect " + messages, TIMEOUT);
        String[] sent = publisher.request("publish " + messages, TIMEOUT).split(" ", 2);
        String[] received = receivers.request("await", TIMEOUT).split(" ", 2);
        if (!sent[1].equals(received[1])) {
            throw new WorkerException(
                    "%s: checksum %s (expected: %s)".formatted(contender.name(), received[1], sent[1]));
        }
        return Duration.ofNanos(Long.parseLong(received[0]) - Long.parseLong(sent[0]));
    }

    /** Returns the processor time of the publishing and of the receiving process. */
    public CpuTime cpuTime() throws WorkerException, InterruptedException {
        return new CpuTime(
                Long.parseLong(publisher.request("cpu", TIMEOUT)), Long.parseLong(receivers.request("cpu", TIMEOUT)));
    }

    /** Adds one more receiver, which drops messages, in a process of its own, which starts if there is none. */
    public void addDroppingReceiver() throws IOException, WorkerException, InterruptedException {
        WorkerProcess process = dropping;
        if (process == null) {
            process = start(contender, logs, FanOutMain.RECEIVE, List.of(address));
            dropping = process;
            process.ready();
        }
        process.request("receivers 1 true", TIMEOUT);
        awaitReceivers(receiverCount + 1);
    }

    /** Removes that receiver. Its process remains. */
    public void removeDroppingReceiver() throws WorkerException, InterruptedException {
        existing(dropping).request("receivers 0 true", TIMEOUT);
        awaitReceivers(receiverCount);
    }

    /** Stops the process of that receiver: it executes nothing until {@link #resumeDroppingReceiver}. */
    public void stopDroppingReceiver() throws IOException, WorkerException, InterruptedException {
        existing(dropping).signal("STOP");
    }

    /** Lets the process of that receiver continue. */
    public void resumeDroppingReceiver() throws IOException, WorkerException, InterruptedException {
        existing(dropping).signal("CONT");
    }

    private static WorkerProcess existing(@Nullable WorkerProcess process) {
        if (process == null) {
            throw new IllegalStateException("dropping receiver: none (expected: addDroppingReceiver before)");
        }
        return process;
    }

    @Override
    public void close() {
        WorkerProcess added = dropping;
        if (added != null) {
            added.kill(); // it may be stopped
            added.close();
        }
        receivers.close();
        publisher.close();
    }
}
