package io.parley.transport.udp;

import io.parley.testkit.transport.PropagationContractTest;
import io.parley.transport.PropagationTransportProvider;

/** The contract on all interfaces of this machine. */
class UdpPropagationTransportTest extends PropagationContractTest {

    private final PropagationTransportProvider provider = new UdpPropagationProvider(TestChannel.settings());

    @Override
    protected PropagationTransportProvider provider() {
        return provider;
    }
}
