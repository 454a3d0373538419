package io.parley.transport.tcp;

import io.parley.testkit.transport.TransportContractTest;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportProvider;

/** TLS, on the best that this machine has. */
class TcpTransportTest extends TransportContractTest {

    @Override
    protected TransportProvider provider() {
        return new TcpTransportProvider();
    }

    @Override
    protected EndpointAddress anyAddress() {
        return EndpointAddress.parse("tcp://127.0.0.1:0");
    }
}
