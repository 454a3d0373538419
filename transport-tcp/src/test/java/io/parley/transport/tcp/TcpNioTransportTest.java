package io.parley.transport.tcp;

import io.netty.handler.ssl.SslProvider;
import io.parley.testkit.transport.TransportContractTest;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportProvider;
import java.util.Set;
import org.junit.jupiter.api.Tag;

/** The contract with NIO and the TLS engine of the JDK, which every platform has. */
@Tag("extended")
class TcpNioTransportTest extends TransportContractTest {

    @Override
    protected TransportProvider provider() {
        return new TransportProvider() {
            @Override
            public Set<String> schemes() {
                return Set.of(NoTunnel.SCHEME);
            }

            @Override
            public Transport create(TransportContext context) {
                return new TcpTransport(context, new NoTunnel(), NettyPlatform.NIO, () -> SslProvider.JDK);
            }
        };
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
