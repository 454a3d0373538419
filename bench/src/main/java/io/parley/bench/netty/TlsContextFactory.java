package io.parley.bench.netty;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;

/**
 * Creates contexts of TLS 1.3 with a certificate on both sides: self-signed, P-256, generated on each call. Both sides
 * accept any certificate, because only the records after the handshake are measured.
 */
public final class TlsContextFactory {

    private static final String PROTOCOL = "TLSv1.3";

    private TlsContextFactory() {}

    /** Returns BoringSSL if it is available, otherwise the engine of the JDK. */
    static SslProvider provider() {
        return OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK;
    }

    /** Returns the name of the engine for the report. */
    public static String label() {
        return OpenSsl.isAvailable() ? OpenSsl.versionString() : "JDK " + Runtime.version();
    }

    static SslContext server() throws Exception {
        return SslContextBuilder.forServer(bundle("server").toKeyManagerFactory())
                .sslProvider(provider())
                .protocols(PROTOCOL)
                .clientAuth(ClientAuth.REQUIRE)
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .build();
    }

    static SslContext client() throws Exception {
        return SslContextBuilder.forClient()
                .keyManager(bundle("client").toKeyManagerFactory())
                .sslProvider(provider())
                .protocols(PROTOCOL)
                .endpointIdentificationAlgorithm(null)
                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                .build();
    }

    private static X509Bundle bundle(String name) throws Exception {
        return new CertificateBuilder()
                .algorithm(CertificateBuilder.Algorithm.ecp256)
                .subject("CN=" + name)
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }
}
