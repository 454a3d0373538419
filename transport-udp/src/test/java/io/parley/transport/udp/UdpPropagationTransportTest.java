package io.parley.transport.udp;

import io.parley.testkit.transport.PropagationContractTest;
import io.parley.transport.PropagationTransportProvider;

/** On whatever interfaces this machine has. */
class UdpPropagationTransportTest extends PropagationContractTest {

    private final PropagationTransportProvider provider = new UdpPropagationProvider(TestChannel.settings());

    @Override
    protected PropagationTransportProvider provider() {
        return provider;
    }
}
