package io.parley.pipes;

import io.parley.Peer;
import io.parley.message.Message;
import io.parley.testkit.ConfirmationProcess;
import java.io.IOException;

/** A process that offers the service {@code calc} until it is killed. It prints the number of requests before it responds to them. */
final class ServiceHolderProcess {

    private ServiceHolderProcess() {}

    /**
     * Starts the process.
     *
     * @param rendezvous the address of a rendezvous
     */
    static ConfirmationProcess start(String rendezvous) throws IOException {
        return ConfirmationProcess.start(ServiceHolderProcess.class, 0, rendezvous);
    }

    /** Runs in the child process. */
    public static void main(String[] arguments) throws InterruptedException {
        Peer peer = Peer.builder()
                .multicast(false)
                .rendezvous(arguments[0])
                .listen("tcp://127.0.0.1:0")
                .start();
        int[] received = new int[1]; // of the one event loop of the one requester
        Pipes.of(peer)
                .serve(
                        "calc",
                        request -> {
                            System.out.println(++received[0]);
                            return Message.of("number", request.text("number").orElseThrow());
                        },
                        Runnable::run);
        Thread.currentThread().join();
    }
}
