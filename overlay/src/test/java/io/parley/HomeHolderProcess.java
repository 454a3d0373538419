package io.parley;

import io.parley.testkit.ConfirmationProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A process that runs a peer with a home directory and prints 1 after the start, until it is killed. */
final class HomeHolderProcess {

    private HomeHolderProcess() {}

    static ConfirmationProcess start(Path home) throws IOException {
        return ConfirmationProcess.start(HomeHolderProcess.class, 0, home.toString());
    }

    /** Runs in the child process. */
    public static void main(String[] arguments) throws InterruptedException {
        Peer.builder().home(Path.of(arguments[0])).multicast(false).start();
        System.out.println(1);
        new CountDownLatch(1).await();
    }
}
