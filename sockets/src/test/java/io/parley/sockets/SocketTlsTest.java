package io.parley.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Date;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.Test;

/** The TLS of the JDK, layered over a socket between peers: what a driver does that demands TLS of its server. */
class SocketTlsTest {

    private static final char[] PASSWORD = "test".toCharArray();

    @Test
    void tlsOfTheJdk_runsOverAPeerSocket() throws Exception {
        SSLContext tls = newContext();
        byte[] content = new byte[1 << 20];
        new Random(5).nextBytes(content);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (SocketPeers peers = SocketPeers.inMemory();
                PeerServerSocket server = peers.ofAlice().listen("db")) {
            Future<?> served = threads.submit(() -> {
                PeerSocket accepted = server.accept();
                try (SSLSocket secured =
                        (SSLSocket) tls.getSocketFactory().createSocket(accepted, null, accepted.getPort(), true)) {
                    secured.setUseClientMode(false);
                    secured.getInputStream().transferTo(secured.getOutputStream());
                }
                assertThat(accepted.isClosed()).isTrue();
                return null;
            });
            PeerSocket plain = peers.ofBob().connect("db", SocketPeers.SOON);
            try (SSLSocket secured = (SSLSocket) tls.getSocketFactory()
                    .createSocket(plain, plain.getInetAddress().getHostName(), plain.getPort(), true)) {
                secured.startHandshake();
                assertThat(secured.getSession().getProtocol()).isEqualTo("TLSv1.3");
                Future<byte[]> echoed = threads.submit(() -> {
                    InputStream in = secured.getInputStream();
                    return in.readAllBytes();
                });
                secured.getOutputStream().write(content);
                secured.shutdownOutput();
                assertThat(echoed.get(30, TimeUnit.SECONDS)).isEqualTo(content);
            }
            served.get(30, TimeUnit.SECONDS);
            assertThat(plain.isClosed()).isTrue();
        } finally {
            threads.shutdownNow();
        }
    }

    private static SSLContext newContext() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair keys = generator.generateKeyPair();
        X500Principal name = new X500Principal("CN=db");
        Instant now = Instant.now();
        X509Certificate certificate = new JcaX509CertificateConverter()
                .getCertificate(new JcaX509v3CertificateBuilder(
                                name,
                                BigInteger.ONE,
                                Date.from(now.minusSeconds(3600)),
                                Date.from(now.plusSeconds(86_400)),
                                name,
                                keys.getPublic())
                        .build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("db", keys.getPrivate(), PASSWORD, new X509Certificate[] {certificate});
        store.setCertificateEntry("trusted", certificate);
        KeyManagerFactory ownKeys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        ownKeys.init(store, PASSWORD);
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(ownKeys.getKeyManagers(), trusted.getTrustManagers(), null);
        return context;
    }
}
