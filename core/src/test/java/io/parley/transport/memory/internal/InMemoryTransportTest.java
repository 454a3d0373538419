package io.parley.transport.memory.internal;

import io.parley.testkit.transport.TransportContractTest;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportProvider;
import io.parley.transport.memory.InMemoryNetwork;

class InMemoryTransportTest extends TransportContractTest {

    private final InMemoryNetwork network = new InMemoryNetwork(2);

    @Override
    protected TransportProvider provider() {
        return network.transportProvider();
    }

    @Override
    protected EndpointAddress anyAddress() {
        return EndpointAddress.parse("mem://any");
    }
}
