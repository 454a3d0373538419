package io.parley.transport.tcp;

import io.parley.testkit.transport.RelayedTransportProvider;
import io.parley.testkit.transport.TransportContractTest;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** The contract without TLS, through a relay: the remote peer cannot distinguish a close from an abort. */
@Tag("extended")
class RelayedPlaintextTransportTest extends TransportContractTest {

    private final RelayedTransportProvider provider =
            new RelayedTransportProvider(new TcpTransportProvider(), TransportSecurity.PLAINTEXT);

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

    @Override
    protected TransportSecurity security() {
        return TransportSecurity.PLAINTEXT;
    }

    @Override
    protected boolean distinguishesAbortFromClose() {
        return false;
    }
}
