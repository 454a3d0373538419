package io.parley.endpoint.internal;

import io.parley.common.AsyncCloseable;
import io.parley.common.AsyncCloseableContractTest;
import io.parley.endpoint.PeerConnectionListener;
import org.junit.jupiter.api.AfterEach;

/** The registration of a connection listener is closed immediately. */
class ConnectionListenerCloseContractTest extends AsyncCloseableContractTest {

    private final EndpointFixture fixture = new EndpointFixture();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    @Override
    protected AsyncCloseable open() {
        return fixture.start().addPeerConnectionListener(new PeerConnectionListener() {});
    }
}
