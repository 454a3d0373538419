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
 * TLS 1.3 with a certificate on both sides: self-signed, P-256, made on the spot. Both sides accept any, because only
 * the records that follow the handshake are measured.
 */
public final class TlsContextFactory {

    private static final String PROTOCOL = "TLSv1.3";

    private TlsContextFactory() {}

    /** BoringSSL where it loads, else the JDK's engine. */
    static SslProvider provider() {
        return OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK;
    }

    /** The engine's name, for the report. */
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
