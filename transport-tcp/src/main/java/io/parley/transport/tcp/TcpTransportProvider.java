package io.parley.transport.tcp;

import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;
import io.parley.transport.tls.TlsHandlerFactory;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Creates TCP transports, for addresses such as {@code tcp://192.0.2.1:9701} if there is no tunnel. */
public final class TcpTransportProvider implements TransportProvider {

    private final TcpTunnel tunnel;

    /** Creates the provider. For {@link java.util.ServiceLoader} and the builder of a peer. */
    public TcpTransportProvider() {
        this(new NoTunnel());
    }

    /** Creates a provider whose transports connect through a tunnel. For the providers of other transports. */
    public TcpTransportProvider(TcpTunnel tunnel) {
        this.tunnel = tunnel;
    }

    @Override
    public Set<String> schemes() {
        return TcpTransport.schemes(tunnel);
    }

    @Override
    public void preload(TransportSecurity security) {
        if (security == TransportSecurity.TLS) {
            CompletableFuture.runAsync(TlsHandlerFactory::bestProvider);
        }
    }

    @Override
    public Transport create(TransportContext context) {
        return new TcpTransport(context, tunnel);
    }
}
