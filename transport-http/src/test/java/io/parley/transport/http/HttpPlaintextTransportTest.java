package io.parley.transport.http;

import io.parley.testkit.transport.TransportContractTest;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;
import org.junit.jupiter.api.Tag;

/** The contract without TLS: the remote peer cannot distinguish a close from an abort. */
@Tag("extended")
class HttpPlaintextTransportTest extends TransportContractTest {

    @Override
    protected TransportProvider provider() {
        return new HttpTransportProvider();
    }

    @Override
    protected EndpointAddress anyAddress() {
        return EndpointAddress.parse("http://127.0.0.1:0");
    }

    @Override
    protected TransportSecurity security() {
        return TransportSecurity.PLAINTEXT;
    }

    @Override
    protected boolean distinguishesAbortFromClose() {
        return false;
    }
}
