package io.parley.pipes;

import io.parley.Peer;
import io.parley.testkit.ConfirmationProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that works for the queue {@code render} until it is killed. For each task it creates a file with the number of the task, and
 * prints how many it has executed.
 */
final class WorkerProcess {

    private static final long TASK_NANOS = 1_000_000;

    private WorkerProcess() {}

    /** @param rendezvous the address of a rendezvous */
    static ConfirmationProcess start(String rendezvous, Path directory) throws IOException {
        return ConfirmationProcess.start(WorkerProcess.class, 0, rendezvous, directory.toString());
    }

    /** Runs in the child process. */
    public static void main(String[] arguments) throws InterruptedException {
        Peer peer = Peer.builder()
                .multicast(false)
                .rendezvous(arguments[0])
                .listen("tcp://127.0.0.1:0")
                .start();
        Path directory = Path.of(arguments[1]);
        int[] executed = new int[1];
        Pipes.of(peer).workQueue("render").work(task -> {
            LockSupport.parkNanos(TASK_NANOS); // the duration of a task, on which no assertion depends
            Files.write(directory.resolve(task.text("n").orElseThrow()), new byte[0]);
            System.out.println(++executed[0]);
        });
        Thread.currentThread().join();
    }
}
