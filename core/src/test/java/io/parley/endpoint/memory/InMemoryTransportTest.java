package io.parley.endpoint.memory;

import io.parley.endpoint.EndpointAddress;
import io.parley.endpoint.TransportContractTest;
import io.parley.endpoint.TransportProvider;

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
