package io.parley.examples.attack;

import io.parley.identity.Identity;
import io.parley.identity.TransportCredential;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** TLS handshakes with certificates that no peer may accept. */
final class CertificateClient {

    private final SSLContext context;

    private CertificateClient(TransportCredential credential) throws GeneralSecurityException {
        context = SSLContext.getInstance("TLSv1.3");
        context.init(new KeyManager[] {new OneChain(credential)}, new TrustManager[] {new TrustAll()}, null);
    }

    /** Presents the valid certificates of another peer, as seen on a connection, without their key. */
    static CertificateClient withReplayedChain() throws GeneralSecurityException {
        TransportCredential seen = Identity.generate().issueTransportCredential(Clock.systemUTC());
        TransportCredential own = Identity.generate().issueTransportCredential(Clock.systemUTC());
        return new CertificateClient(new TransportCredential(own.key(), seen.chain(), seen.notAfter()));
    }

    /** Presents an identity certificate with another issuer than its subject. */
    static CertificateClient withNames(String issuer, String subject)
            throws GeneralSecurityException, OperatorCreationException {
        TransportCredential own = Identity.generate().issueTransportCredential(Clock.systemUTC());
        KeyPair keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        Instant now = Instant.now();
        X509Certificate certificate = new JcaX509CertificateConverter()
                .getCertificate(new JcaX509v3CertificateBuilder(
                                new X500NameBuilder().addRDN(BCStyle.CN, issuer).build(),
                                BigInteger.ONE,
                                Date.from(now.minusSeconds(3600)),
                                Date.from(now.plusSeconds(3600)),
                                new X500NameBuilder()
                                        .addRDN(BCStyle.CN, subject)
                                        .build(),
                                keys.getPublic())
                        .build(new JcaContentSignerBuilder("Ed25519").build(keys.getPrivate())));
        return new CertificateClient(
                new TransportCredential(own.key(), List.of(own.chain().get(0), certificate), own.notAfter()));
    }

    /** Makes one handshake and waits until the other side has ended the connection. Returns whether it was refused. */
    boolean isRefused(String from, InetSocketAddress target) {
        try (Socket plain = new Socket(target.getAddress(), target.getPort(), InetAddress.getByName(from), 0);
                SSLSocket socket = (SSLSocket) context.getSocketFactory()
                        .createSocket(plain, target.getHostString(), target.getPort(), true)) {
            socket.startHandshake();
            return socket.getInputStream().read() < 0;
        } catch (IOException e) {
            return true;
        }
    }

    private static final class OneChain extends X509ExtendedKeyManager {
        private final TransportCredential credential;

        private OneChain(TransportCredential credential) {
            this.credential = credential;
        }

        @Override
        public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
            return "one";
        }

        @Override
        public String chooseEngineClientAlias(String[] keyTypes, Principal[] issuers, SSLEngine engine) {
            return "one";
        }

        @Override
        public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
            return null;
        }

        @Override
        public String[] getClientAliases(String keyType, Principal[] issuers) {
            return new String[] {"one"};
        }

        @Override
        public String[] getServerAliases(String keyType, Principal[] issuers) {
            return new String[0];
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return credential.chain().toArray(new X509Certificate[0]);
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return credential.key();
        }
    }

    private static final class TrustAll extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
