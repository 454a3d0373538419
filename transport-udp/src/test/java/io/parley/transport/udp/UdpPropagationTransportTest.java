package io.parley.transport.udp;

import io.parley.endpoint.PropagationContractTest;
import io.parley.endpoint.PropagationTransportProvider;

/** On whatever interfaces this machine has. */
class UdpPropagationTransportTest extends PropagationContractTest {

    private final PropagationTransportProvider provider = new UdpPropagationProvider(TestChannel.settings());

    @Override
    protected PropagationTransportProvider provider() {
        return provider;
    }
}
