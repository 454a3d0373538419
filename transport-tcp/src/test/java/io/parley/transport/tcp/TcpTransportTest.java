package io.parley.transport.tcp;

import io.parley.endpoint.EndpointAddress;
import io.parley.endpoint.TransportContractTest;
import io.parley.endpoint.TransportProvider;

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
