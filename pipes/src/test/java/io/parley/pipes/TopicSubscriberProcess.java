package io.parley.pipes;

import io.parley.Peer;
import io.parley.testkit.ConfirmationProcess;
import java.io.IOException;

/** A process that subscribes to a topic until it is killed. It prints the number of received messages. */
final class TopicSubscriberProcess {

    private TopicSubscriberProcess() {}

    /**
     * Starts the process.
     *
     * @param rendezvous the address of a rendezvous, with or without its id
     */
    static ConfirmationProcess start(String rendezvous, String topic) throws IOException {
        return ConfirmationProcess.start(TopicSubscriberProcess.class, 0, rendezvous, topic);
    }

    /** Runs in the child process. */
    public static void main(String[] arguments) throws InterruptedException {
        Peer peer = Peer.loopback().rendezvous(arguments[0]).start();
        int[] received = new int[1]; // of the one event loop of the one publisher
        Pipes.of(peer)
                .topic(arguments[1])
                .subscribe(SubscriptionOptions.DEFAULTS, message -> System.out.println(++received[0]), Runnable::run);
        Thread.currentThread().join();
    }
}
