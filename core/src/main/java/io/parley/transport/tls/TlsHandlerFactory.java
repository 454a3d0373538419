package io.parley.transport.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.handler.codec.AdaptiveCumulator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.ReferenceCountedOpenSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import io.parley.common.internal.BoundedExecutor;
import io.parley.common.internal.SharedThreads;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.TransportCredential;
import io.parley.identity.internal.PeerTrustManager;
import io.parley.transport.TransportContext;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the TLS handlers of connections. They present the certificate chain of this peer and require one of the remote
 * peer. The short-lived certificate is replaced when half of its time is over. Thread-safe.
 */
public final class TlsHandlerFactory implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(TlsHandlerFactory.class);

    /** The name of the TLS handler in the pipeline, which may have others, such as that of a proxy. */
    static final String TLS_HANDLER = "parley-tls";

    private static final Duration RENEW_BEFORE_END = Duration.ofHours(12);

    /** The step back of the clock that does not renew the certificate, which is valid some time before it was issued. */
    private static final Duration MAX_STEP_BACK = Duration.ofMinutes(10);

    /**
     * Netty passes the key in an in-memory key store. The default type protects it by a key that is derived from a password in
     * ten thousand rounds, which takes a new JVM a tenth of a second each time. (The server side of the JDK does so anyway.)
     */
    private static final String KEY_STORE = "JKS";

    private static final String PROTOCOL = "TLSv1.3";

    /**
     * Shorter reads are copied behind the bytes of a record that have arrived before. BoringSSL's handler visits all parts of a record at each
     * read; if a remote peer sends 16 KiB in reads of one byte, that took seconds.
     */
    private static final int SMALLEST_COMPOSED_BYTES = 1024;

    /**
     * The buffer of each connection for what BoringSSL writes while it reads, in bytes. The default, 2048, is a sixth of the native
     * memory of an idle connection. After the handshake only alerts need it. The next call writes the rest.
     */
    private static final int OPENSSL_BUFFER_BYTES = 256;

    /** The number of chains of one peer that are verified at the same time. */
    private static final int MAX_THREADS = 2;

    /** The threads end soon, so that they hardly outlive the transport. To start one takes less time than to verify a chain. */
    private static final SharedThreads THREADS = new SharedThreads(
            "parley-certificates-",
            Runtime.getRuntime().availableProcessors(),
            Integer.MAX_VALUE,
            Duration.ofMillis(50));

    private final TransportContext context;

    /** Verifies the signatures of accepted connections off the event loops. Each pending handshake has at most one task. */
    private final BoundedExecutor verifying;

    private final Supplier<SslProvider> provider;
    private @Nullable SslContext client;
    private @Nullable SslContext server;
    private Instant issuedAt = Instant.MAX;
    private Instant renewAt = Instant.MIN;
    private boolean closed;

    /** Uses the fastest TLS engine that is available. */
    public TlsHandlerFactory(TransportContext context) {
        this(context, TlsHandlerFactory::bestProvider);
    }

    /** @param provider the TLS engine, looked up when it is first needed */
    public TlsHandlerFactory(TransportContext context, Supplier<SslProvider> provider) {
        this.context = context;
        this.provider = provider;
        this.verifying =
                new BoundedExecutor(THREADS, MAX_THREADS, context.limits().maxHandshakes());
    }

    /** Prepares the first handler, which takes a new JVM a third of a second: native code and a thousand classes. */
    public synchronized void preload() {
        try {
            if (!closed) {
                renewIfNeeded();
            }
        } catch (SSLException | RuntimeException | LinkageError e) {
            log.debug("Cannot preload TLS; the first connection will try again", e);
        }
    }

    /** Returns the fastest TLS engine that is available: BoringSSL, or else that of the JDK. */
    public static SslProvider bestProvider() {
        return OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK;
    }

    /**
     * Adds the handlers of one connection at the end of its pipeline, with the timeouts set. One of the callbacks is called once,
     * on the event loop. After a rejection the connection is closed.
     *
     * @param dialer          whether this peer dialed
     * @param onAuthenticated receives the id of the remote peer
     * @param onRejected      receives the reason why the remote peer was not authenticated
     * @throws SSLException if the context cannot be created, and after {@link #close}
     */
    public void addHandlers(
            Channel channel, boolean dialer, Consumer<PeerId> onAuthenticated, Consumer<ParleyException> onRejected)
            throws SSLException {
        channel.pipeline()
                .addLast(TLS_HANDLER, newHandler(dialer, channel.alloc()))
                .addLast(new PeerAuthenticationHandler(
                        context.scheduler().clock(), verifying, onAuthenticated, onRejected));
    }

    /**
     * Returns a handler for one connection, with the timeouts set.
     *
     * @throws SSLException if the context cannot be created, and after {@link #close}
     */
    synchronized SslHandler newHandler(boolean dialer, ByteBufAllocator allocator) throws SSLException {
        if (closed) {
            throw new SSLException("the transport is closed");
        }
        renewIfNeeded();
        SslContext chosen = dialer ? client : server;
        SslHandler handler = Objects.requireNonNull(chosen).newHandler(allocator);
        ignoreHostName(handler.engine());
        handler.setHandshakeTimeoutMillis(millis(context.limits().handshakeTimeout()));
        handler.setCloseNotifyFlushTimeoutMillis(millis(context.limits().closeTimeout()));
        if (chosen instanceof ReferenceCountedOpenSslContext) { // the engine of the JDK gets one buffer already
            handler.setCumulator(new AdaptiveCumulator(SMALLEST_COMPOSED_BYTES));
        }
        return handler;
    }

    /** Returns at least 1, because 0 is no timeout for Netty. */
    private static long millis(Duration timeout) {
        return Math.max(1, timeout.toMillis());
    }

    /**
     * Returns an engine for TLS over something that is not a channel of Netty. It presents the certificate chain of this peer and
     * requires one of the remote peer, whose signatures the caller must verify after the handshake
     * ({@link io.parley.identity.internal.PeerCertificateVerifier}). The caller must release it. The first call in a JVM takes a third
     * of a second.
     *
     * @param dialer whether this peer is the TLS client
     * @throws SSLException if the context cannot be created, and after {@link #close}
     */
    public synchronized SSLEngine newEngine(boolean dialer, ByteBufAllocator allocator) throws SSLException {
        if (closed) {
            throw new SSLException("the endpoint is closed");
        }
        renewIfNeeded();
        SSLEngine engine = Objects.requireNonNull(dialer ? client : server).newEngine(allocator);
        ignoreHostName(engine);
        return engine;
    }

    /** Peers have ids, not host names; the id is checked by the trust manager and after the handshake. */
    private static void ignoreHostName(SSLEngine engine) {
        if (engine.getUseClientMode()) {
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm(null);
            engine.setSSLParameters(parameters);
        }
    }

    private void renewIfNeeded() throws SSLException {
        Instant now = context.scheduler().clock().instant();
        boolean setBack =
                now.isBefore(issuedAt.minus(MAX_STEP_BACK)); // the certificate may be valid in the future only
        if (!setBack && now.isBefore(renewAt)) {
            return;
        }
        release();
        SslProvider used = provider.get();
        Clock clock = context.scheduler().clock();
        // The time that is noted below: the clock may be set meanwhile.
        TransportCredential credential = context.identity().issueTransportCredential(Clock.fixed(now, ZoneOffset.UTC));
        client = withSmallBuffers(SslContextBuilder.forClient()
                .keyManager(credential.key(), credential.chain())
                .keyStoreType(KEY_STORE)
                .trustManager(PeerTrustManager.anyPeer(clock))
                .sslProvider(used)
                .protocols(List.of(PROTOCOL))
                .endpointIdentificationAlgorithm(null)
                .build());
        server = withSmallBuffers(SslContextBuilder.forServer(credential.key(), credential.chain())
                .trustManager(PeerTrustManager.anyPeerWithoutSignatures(clock)) // verified after the handshake
                .keyStoreType(KEY_STORE)
                .clientAuth(ClientAuth.REQUIRE)
                .sslProvider(used)
                .protocols(List.of(PROTOCOL))
                .build());
        issuedAt = now;
        renewAt = credential.notAfter().minus(RENEW_BEFORE_END);
    }

    private static SslContext withSmallBuffers(SslContext created) {
        if (created instanceof ReferenceCountedOpenSslContext openSsl) {
            openSsl.setBioNonApplicationBufferSize(OPENSSL_BUFFER_BYTES);
        }
        return created;
    }

    private void release() {
        ReferenceCountUtil.release(client);
        ReferenceCountUtil.release(server);
        client = null;
        server = null;
    }

    /** Releases the native parts. Handlers that are in use keep theirs. */
    @Override
    public synchronized void close() {
        closed = true;
        verifying.shutdown();
        release();
    }
}
