package io.parley.transport.tcp;

import io.netty.handler.ssl.SslProvider;
import io.parley.endpoint.EndpointAddress;
import io.parley.endpoint.Transport;
import io.parley.endpoint.TransportContext;
import io.parley.endpoint.TransportContractTest;
import io.parley.endpoint.TransportProvider;
import java.util.Set;

/** What every platform has: NIO and the JDK's TLS. */
class TcpNioTransportTest extends TransportContractTest {

    @Override
    protected TransportProvider provider() {
        return new TransportProvider() {
            @Override
            public Set<String> schemes() {
                return Set.of(TcpTransport.SCHEME);
            }

            @Override
            public Transport create(TransportContext context) {
                return new TcpTransport(context, NettyPlatform.NIO, () -> SslProvider.JDK);
            }
        };
    }

    @Override
    protected EndpointAddress anyAddress() {
        return EndpointAddress.parse("tcp://127.0.0.1:0");
    }
}
