package io.parley.transport.http;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.parley.error.ErrorCode;
import io.parley.transport.EndpointAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of a host that is dialed by {@code https://}, such as a reverse proxy. Its certificate must be valid for the name of the host.
 * Thread-safe.
 */
final class HostTls {

    private final List<X509Certificate> trusted;
    private @Nullable SslContext client;

    /** Trusts the authorities that the JDK trusts. */
    HostTls() {
        this(List.of());
    }

    /** @param trusted the authorities to trust; if there are none, those that the JDK trusts */
    HostTls(List<X509Certificate> trusted) {
        this.trusted = List.copyOf(trusted);
    }

    /** @throws SSLException if the authorities cannot be read */
    SslHandler newHandler(ByteBufAllocator allocator, EndpointAddress address) throws SSLException {
        SslHandler handler = client().newHandler(allocator, address.host(), address.port());
        handler.setHandshakeTimeoutMillis(0); // the handshake of the tunnel has a timeout
        return handler;
    }

    /** Loads the authorities and the TLS engine, which takes a new JVM a second, on another thread. */
    CompletableFuture<Void> load() {
        synchronized (this) {
            if (client != null) {
                return CompletableFuture.completedFuture(null);
            }
        }
        return CompletableFuture.runAsync(() -> {
            try {
                client();
            } catch (SSLException e) {
                throw ErrorCode.UNREACHABLE.exception("TLS of hosts: " + e.getMessage(), e);
            }
        });
    }

    private synchronized SslContext client() throws SSLException {
        SslContext present = client;
        if (present == null) {
            SslContextBuilder builder = SslContextBuilder.forClient()
                    .sslProvider(
                            OpenSsl.isAvailable()
                                    ? SslProvider.OPENSSL
                                    : SslProvider.JDK) // both end with their garbage
                    .endpointIdentificationAlgorithm("HTTPS");
            if (!trusted.isEmpty()) {
                builder.trustManager(trusted);
            }
            present = builder.build();
            client = present;
        }
        return present;
    }
}
