package io.parley.pipes;

import io.parley.Peer;
import io.parley.message.Message;
import io.parley.testkit.ConfirmationProcess;
import java.io.IOException;
import java.time.Duration;

/** A process that connects a bidirectional pipe to its parent, and sends back what it receives until it is killed. */
final class BidirectionalPipeProcess {

    private static final Duration SOON = Duration.ofSeconds(30);

    private BidirectionalPipeProcess() {}

    /** Starts the process. */
    static ConfirmationProcess start(PipeTicket parent) throws IOException {
        return ConfirmationProcess.start(BidirectionalPipeProcess.class, 0, parent.toString());
    }

    /** Runs in the child process. */
    public static void main(String[] arguments) throws InterruptedException {
        Peer peer = Peer.builder().start();
        BidirectionalPipe pipe = BidirectionalPipes.of(peer).connect(PipeTicket.parse(arguments[0]), SOON);
        while (true) {
            Message message = pipe.receive(SOON).orElseThrow();
            pipe.send(message, SOON);
        }
    }
}
