package io.parley.pipes;

import io.parley.Peer;
import io.parley.message.Message;
import io.parley.testkit.ConfirmationProcess;
import io.parley.transport.PeerAddress;
import java.io.IOException;
import java.time.Duration;

/**
 * A process that receives numbered messages through a pipe until it is killed. It prints the number of received messages before the
 * endpoint acknowledges them.
 */
final class PipeReceiverProcess {

    private static final Duration SOON = Duration.ofSeconds(30);

    private PipeReceiverProcess() {}

    /**
     * Starts the process.
     *
     * @param parent the address of a peer with the open pipe {@code tickets}, to which the process sends the ticket of its pipe
     */
    static ConfirmationProcess start(PeerAddress parent) throws IOException {
        return ConfirmationProcess.start(PipeReceiverProcess.class, 0, parent.toString());
    }

    /** Runs in the child process. */
    public static void main(String[] arguments) throws InterruptedException {
        Peer peer = Peer.loopback().start();
        Pipes pipes = Pipes.of(peer);
        int[] received = new int[1]; // of the one event loop of the one sender
        InputPipe in =
                pipes.listen(pipes.pipeId("numbers"), message -> System.out.println(++received[0]), Runnable::run);
        try (OutputPipe tickets = pipes.connect(PeerAddress.parse(arguments[0]), "tickets", SOON)) {
            tickets.send(Message.of("ticket", in.ticket().toString()), SOON);
        }
        Thread.currentThread().join();
    }
}
