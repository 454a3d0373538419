package io.parley.transport.tcp;

import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;
import io.parley.transport.tls.TlsHandlerFactory;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Makes TCP transports, for addresses like {@code tcp://192.0.2.1:9701}. */
public final class TcpTransportProvider implements TransportProvider {

    /** For {@link java.util.ServiceLoader}, and for passing to a peer's builder. */
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
