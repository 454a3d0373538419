package io.parley.transport.http;

import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;
import io.parley.transport.tcp.TcpTransportProvider;
import java.net.ProxySelector;
import java.util.Set;

/**
 * Creates HTTP transports, for addresses such as {@code http://192.0.2.1:8080}. A connection is a WebSocket (RFC 6455) at the path
 * {@value WebSocketTunnel#PATH}; inside it the peers authenticate each other and encrypt as over TCP, so that proxies need no trust.
 *
 * <p>An address {@code https://host:port} is dialed through another TLS layer, whose certificate must be valid for the host: it is that of
 * a reverse proxy, which passes the WebSocket on to a peer that listens on {@code http://}. Both kinds are dialed through the HTTP proxy
 * that the default {@link ProxySelector} names, such as that of the system properties {@code http.proxyHost} and {@code https.proxyHost}.
 */
public final class HttpTransportProvider implements TransportProvider {

    private static final HostTls HOST_TLS = new HostTls();

    /** Creates the provider. For {@link java.util.ServiceLoader} and the builder of a peer. */
    public HttpTransportProvider() {}

    @Override
    public Set<String> schemes() {
        return WebSocketTunnel.SCHEMES;
    }

    @Override
    public void preload(TransportSecurity security) {
        new TcpTransportProvider().preload(security);
    }

    @Override
    public Transport create(TransportContext context) {
        return new TcpTransportProvider(
                        new WebSocketTunnel(context, new HttpProxies(ProxySelector::getDefault), HOST_TLS))
                .create(context);
    }
}
