package io.parley.transport.tcp;

import io.parley.testkit.transport.TransportContractTest;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;

/** The contract without TLS: the remote peer cannot distinguish a close from an abort. */
class TcpPlaintextTransportTest extends TransportContractTest {

    @Override
    protected TransportProvider provider() {
        return new TcpTransportProvider();
    }

    @Override
    protected EndpointAddress anyAddress() {
        return EndpointAddress.parse("tcp://127.0.0.1:0");
    }

    @Override
    protected TransportSecurity security() {
        return TransportSecurity.PLAINTEXT;
    }

    @Override
    protected boolean distinguishesAbortFromClose() {
        return false;
    }

    @Override
    protected boolean shutdownOutput(Connection connection) {
        return TcpFailuresTest.shutdownOutput(connection);
    }
}
