package io.parley.transport.http;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.AdaptiveCumulator;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.ReferenceCountedOpenSslContext;
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

    /** Shorter reads are copied, so that a record in reads of one byte does not become as many parts. */
    private static final int SMALLEST_COMPOSED_BYTES = 1024;

    private final List<X509Certificate> trusted;
    private @Nullable CompletableFuture<SslContext> loading;

    /** Trusts the authorities that the JDK trusts. */
    HostTls() {
        this(List.of());
    }

    /** @param trusted the authorities to trust; if there are none, those that the JDK trusts */
    HostTls(List<X509Certificate> trusted) {
        this.trusted = List.copyOf(trusted);
    }

    /** Loads the authorities and the TLS engine on another thread, once. This takes a new JVM a second. */
    synchronized CompletableFuture<SslContext> load() {
        CompletableFuture<SslContext> present = loading;
        if (present == null || present.isCompletedExceptionally()) {
            present = CompletableFuture.supplyAsync(this::create, HostTls::startThread);
            loading = present;
        }
        return present;
    }

    /** Not a thread of the common pool, which the application may keep busy. */
    private static void startThread(Runnable task) {
        Thread thread = new Thread(task, "parley-host-tls");
        thread.setDaemon(true);
        thread.start();
    }

    private SslContext create() {
        SslContextBuilder builder = SslContextBuilder.forClient()
                .sslProvider(
                        OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK) // both end with their garbage
                .endpointIdentificationAlgorithm("HTTPS");
        if (!trusted.isEmpty()) {
            builder.trustManager(trusted);
        }
        try {
            return builder.build();
        } catch (SSLException e) {
            throw ErrorCode.UNREACHABLE.exception(
                    "TLS of the host: " + e.getMessage() + "; check the trust store of this JVM", e);
        }
    }

    /** Returns the handler of one connection. Must be called after {@link #load} is done, else it waits. */
    SslHandler newHandler(ByteBufAllocator allocator, EndpointAddress address) {
        SslContext context = load().join();
        SslHandler handler = context.newHandler(allocator, address.host(), address.port());
        if (context instanceof ReferenceCountedOpenSslContext) {
            handler.setCumulator(new AdaptiveCumulator(SMALLEST_COMPOSED_BYTES));
        }
        handler.setHandshakeTimeoutMillis(0); // the handshake of the tunnel has a timeout
        return handler;
    }
}
