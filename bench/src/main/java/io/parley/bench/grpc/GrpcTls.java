package io.parley.bench.grpc;

import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.ClientAuth;
import io.grpc.netty.shaded.io.netty.handler.ssl.OpenSsl;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.grpc.netty.shaded.io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;

/** Mutual TLS 1.3 with generated certificates of P-256, which both sides accept, as of the other contenders. */
final class GrpcTls {

    private static final String PROTOCOL = "TLSv1.3";

    private GrpcTls() {}

    static SslContext server() throws Exception {
        X509Bundle bundle = bundle("server");
        return configured(SslContextBuilder.forServer(bundle.getKeyPair().getPrivate(), bundle.getCertificatePath())
                        .clientAuth(ClientAuth.REQUIRE))
                .build();
    }

    static SslContext client() throws Exception {
        X509Bundle bundle = bundle("client");
        return configured(SslContextBuilder.forClient()
                        .keyManager(bundle.getKeyPair().getPrivate(), bundle.getCertificatePath()))
                .build();
    }

    private static SslContextBuilder configured(SslContextBuilder builder) {
        SslProvider provider = OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;
        return GrpcSslContexts.configure(builder, provider)
                .protocols(PROTOCOL)
                .trustManager(InsecureTrustManagerFactory.INSTANCE);
    }

    /** Returns the name of the engine for the report. */
    static String label() {
        return OpenSsl.isAvailable() ? OpenSsl.versionString() : "JDK " + Runtime.version();
    }

    private static X509Bundle bundle(String name) throws Exception {
        return new CertificateBuilder()
                .algorithm(CertificateBuilder.Algorithm.ecp256)
                .subject("CN=" + name)
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }
}
