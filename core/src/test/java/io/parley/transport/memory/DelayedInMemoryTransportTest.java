package io.parley.transport.memory;

import io.parley.testkit.transport.TransportContractTest;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportProvider;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

/** The contract on a network with a delay. */
@Tag("extended")
class DelayedInMemoryTransportTest extends TransportContractTest {

    private final InMemoryNetwork network = new InMemoryNetwork(2, Duration.ofMillis(1));

    @Override
    protected TransportProvider provider() {
        return network.transportProvider();
    }

    @Override
    protected EndpointAddress anyAddress() {
        return EndpointAddress.parse("mem://any");
    }
}
