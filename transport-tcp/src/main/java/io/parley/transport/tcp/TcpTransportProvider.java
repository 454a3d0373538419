package io.parley.transport.tcp;

import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;
import io.parley.transport.tls.TlsHandlerFactory;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Creates TCP transports for addresses such as {@code tcp://192.0.2.1:9701}. */
public final class TcpTransportProvider implements TransportProvider {

    /** Creates the provider. For {@link java.util.ServiceLoader} and the builder of a peer. */
    public TcpTransportProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(TcpTransport.SCHEME);
    }

    @Override
    public void preload(TransportSecurity security) {
        if (security == TransportSecurity.TLS) {
            CompletableFuture.runAsync(TlsHandlerFactory::bestProvider);
        }
    }

    @Override
    public Transport create(TransportContext context) {
        return new TcpTransport(context);
    }
}
