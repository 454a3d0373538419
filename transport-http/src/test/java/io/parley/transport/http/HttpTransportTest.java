package io.parley.transport.http;

import io.parley.testkit.transport.TransportContractTest;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportProvider;

/** The contract with TLS of the peers inside the WebSocket. */
class HttpTransportTest extends TransportContractTest {

    @Override
    protected TransportProvider provider() {
        return new HttpTransportProvider();
    }

    @Override
    protected EndpointAddress anyAddress() {
        return EndpointAddress.parse("http://127.0.0.1:0");
    }
}
