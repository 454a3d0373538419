package io.parley.transport.tcp;

import io.parley.testkit.transport.RelayedTransportProvider;
import io.parley.testkit.transport.TransportContractTest;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** The contract with TLS, through a relay. */
@Tag("extended")
class RelayedTransportTest extends TransportContractTest {

    private final RelayedTransportProvider provider =
            new RelayedTransportProvider(new TcpTransportProvider(), TransportSecurity.TLS);

    @AfterEach
    void closeRelays() {
        provider.close();
    }

    @Override
    protected TransportProvider provider() {
        return provider;
    }

    @Override
    protected EndpointAddress anyAddress() {
        return provider.newRelay(EndpointAddress.parse("tcp://127.0.0.1:0"));
    }

    @Override
    protected boolean isRelayed() {
        return true;
    }
}
