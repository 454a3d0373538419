package io.parley.transport.http;

import io.parley.transport.EndpointAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds the HTTP proxy through which to dial an address, as the JDK's own HTTP client does. Thread-safe. */
final class HttpProxies {

    private final Supplier<@Nullable ProxySelector> selector;

    /** @param selector returns the present selector; null for no proxies */
    HttpProxies(Supplier<@Nullable ProxySelector> selector) {
        this.selector = selector;
    }

    Optional<EndpointAddress> proxy(EndpointAddress address) {
        ProxySelector present = selector.get();
        if (present == null) {
            return Optional.empty();
        }
        return select(present, address)
                .filter(proxy -> proxy.type() == Proxy.Type.HTTP)
                .map(proxy -> (InetSocketAddress) proxy.address())
                .map(proxy -> new EndpointAddress(WebSocketTunnel.HTTP, host(proxy), proxy.getPort()));
    }

    private static Optional<Proxy> select(ProxySelector selector, EndpointAddress address) {
        try {
            // The form with an authority, which permits host names with an underscore.
            return selector.select(new URI(address.scheme(), HttpAuthority.withPort(address), "/", null, null)).stream()
                    .findFirst();
        } catch (URISyntaxException | IllegalArgumentException e) { // not a host name: the dial fails
            return Optional.empty();
        }
    }

    private static String host(InetSocketAddress proxy) {
        return proxy.isUnresolved() ? proxy.getHostString() : proxy.getAddress().getHostAddress();
    }
}
