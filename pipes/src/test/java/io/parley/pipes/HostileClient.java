package io.parley.pipes;

import io.parley.identity.Identity;
import io.parley.identity.TransportCredential;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointAddress;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;

/** A TCP client that violates the protocol. */
final class HostileClient implements AutoCloseable {

    private static final int PACE_MILLIS = 20;

    private final Socket socket;

    private HostileClient(Socket socket) {
        this.socket = socket;
    }

    static HostileClient plain(EndpointAddress address) throws IOException {
        return new HostileClient(new Socket(address.host(), address.port()));
    }

    /** Connects from another address of this machine. */
    static HostileClient plain(EndpointAddress address, String from) throws IOException {
        return new HostileClient(new Socket(address.host(), address.port(), InetAddress.getByName(from), 0));
    }

    /** Connects with TLS 1.3 and this certificate, or none. */
    static HostileClient tls(EndpointAddress address, @Nullable TransportCredential credential)
            throws IOException, GeneralSecurityException {
        return tls(address, credential, "127.0.0.1");
    }

    private static HostileClient tls(EndpointAddress address, @Nullable TransportCredential credential, String from)
            throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(
                credential == null ? null : new KeyManager[] {new OneChain(credential)},
                new TrustManager[] {new TrustAll()},
                null);
        return new HostileClient(context.getSocketFactory()
                .createSocket(address.host(), address.port(), InetAddress.getByName(from), 0));
    }

    /** Connects with a valid certificate of {@code identity}. */
    static HostileClient authenticated(EndpointAddress address, Identity identity) throws Exception {
        return tls(address, identity.issueTransportCredential(java.time.Clock.systemUTC()));
    }

    /** Connects with a valid certificate of {@code identity} from another address of this machine. */
    static HostileClient authenticated(EndpointAddress address, Identity identity, String from) throws Exception {
        return tls(address, identity.issueTransportCredential(java.time.Clock.systemUTC()), from);
    }

    /** Connects with a self-signed certificate without an identity, twice in the chain, which then has the expected length. */
    static TransportCredential selfMadeRsa() throws GeneralSecurityException, OperatorCreationException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(1024); // because a larger one takes seconds to find
        KeyPair keys = generator.generateKeyPair();
        X500Name name = new X500Name("CN=self-made");
        Instant now = Instant.now();
        X509Certificate certificate = new JcaX509CertificateConverter()
                .getCertificate(new JcaX509v3CertificateBuilder(
                                name,
                                BigInteger.ONE,
                                Date.from(now.minusSeconds(3600)),
                                Date.from(now.plusSeconds(3600)),
                                name,
                                keys.getPublic())
                        .build(new JcaContentSignerBuilder("SHA256withRSA").build(keys.getPrivate())));
        return new TransportCredential(keys.getPrivate(), List.of(certificate, certificate), now.plusSeconds(3600));
    }

    int localPort() {
        return socket.getLocalPort();
    }

    HostileClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    /** Sends the length of a frame and nothing else. */
    HostileClient announce(long frameBytes) throws IOException {
        return send(ByteBuffer.allocate(4).putInt((int) frameBytes).array());
    }

    HostileClient sendFrame(byte[] frame) throws IOException {
        return announce(frame.length).send(frame);
    }

    HostileClient endOutput() throws IOException {
        socket.shutdownOutput();
        return this;
    }

    /** Waits for any byte from the peer. */
    void awaitResponse() throws IOException {
        socket.setSoTimeout(Math.toIntExact(Eventually.DEADLINE.toMillis()));
        if (socket.getInputStream().read() < 0) {
            throw new AssertionError("the connection ended without an answer");
        }
    }

    /** Waits until the peer ends the connection, in any way. */
    void awaitEnd() throws IOException {
        socket.setSoTimeout(Math.toIntExact(Eventually.DEADLINE.toMillis()));
        try {
            InputStream in = socket.getInputStream();
            while (in.read() >= 0) {
                // The last bytes of the peer do not matter here.
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the connection is still open", e);
        } catch (IOException e) {
            // A reset, or an alert of TLS: the connection has ended.
        }
    }

    /** Sends one byte at a time, slower than the handshake timeout permits, until the peer ends the connection. */
    void trickle(byte[] bytes) throws IOException {
        socket.setSoTimeout(PACE_MILLIS);
        long start = System.nanoTime();
        for (int i = 0; System.nanoTime() - start < Eventually.DEADLINE.toNanos(); i++) {
            try {
                if (socket.getInputStream().read() < 0) {
                    return;
                }
            } catch (SocketTimeoutException e) {
                if (i >= bytes.length) {
                    throw new AssertionError("took " + bytes.length + " bytes, one by one", e);
                }
            } catch (IOException e) {
                return;
            }
            try {
                socket.getOutputStream().write(bytes[i]);
            } catch (IOException e) {
                return;
            }
        }
        throw new AssertionError("the connection is still open");
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private static final class OneChain extends X509ExtendedKeyManager {
        private final TransportCredential credential;

        private OneChain(TransportCredential credential) {
            this.credential = credential;
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return "one";
        }

        @Override
        public @Nullable String chooseEngineClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return "one";
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }

        @Override
        public String[] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return new String[] {"one"};
        }

        @Override
        public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
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
