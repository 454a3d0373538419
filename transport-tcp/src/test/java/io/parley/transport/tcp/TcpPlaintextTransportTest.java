package io.parley.transport.tcp;

import io.parley.testkit.transport.TransportContractTest;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;

/** Without TLS: the end of the stream is all that is seen of a close and of an abort. */
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
    protected boolean tellsAbortFromClose() {
        return false;
    }
}
