package io.parley.transport.memory;

import io.parley.testkit.transport.TransportContractTest;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportProvider;

class InMemoryTransportTest extends TransportContractTest {

    private final InMemoryNetwork network = new InMemoryNetwork(2);

    @Override
    protected TransportProvider provider() {
        return new InMemoryTransportProvider(network);
    }

    @Override
    protected EndpointAddress anyAddress() {
        return EndpointAddress.parse("mem://any");
    }
}
