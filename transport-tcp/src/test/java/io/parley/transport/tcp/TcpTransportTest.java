package io.parley.transport.tcp;

import io.parley.testkit.transport.TransportContractTest;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportProvider;

/** The contract with TLS, on the fastest platform of this machine. */
class TcpTransportTest extends TransportContractTest {

    @Override
    protected TransportProvider provider() {
        return new TcpTransportProvider();
    }

    @Override
    protected EndpointAddress anyAddress() {
        return EndpointAddress.parse("tcp://127.0.0.1:0");
    }

    @Override
    protected boolean shutdownOutput(Connection connection) {
        return TcpFailuresTest.shutdownOutput(connection);
    }
}
