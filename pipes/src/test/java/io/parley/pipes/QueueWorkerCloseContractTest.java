package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.common.AsyncCloseableContractTest;
import org.junit.jupiter.api.AfterEach;

class QueueWorkerCloseContractTest extends AsyncCloseableContractTest {

    private final PipePeers peers = new PipePeers();
    private int opened;

    @AfterEach
    void closeAll() {
        peers.close();
    }

    @Override
    protected AsyncCloseable open() {
        return Pipes.of(peers.near("worker" + opened++)).workQueue("render").work(task -> {});
    }
}
