package io.parley.identity.internal;

import io.parley.id.PeerId;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Accepts the other side of a TLS connection, client or server alike, when its certificates prove a peer id as
 * {@link PeerCertificateVerifier} says. There are no certification authorities, and host names are not looked at, so the TLS
 * engine must be told not to check them either (endpoint identification algorithm {@code null}).
 *
 * <p>It extends the <i>extended</i> trust manager because the JDK would wrap a plain one in checks of its own, which
 * know nothing of peers.
 */
public final class PeerTrustManager extends X509ExtendedTrustManager {
    private final Clock clock;
    private final @Nullable PeerId expected;

    private PeerTrustManager(Clock clock, @Nullable PeerId expected) {
        this.clock = clock;
        this.expected = expected;
    }

    /** Accepts every peer that proves its id; {@link PeerCertificateVerifier#authenticate} then tells which one it is. */
    public static PeerTrustManager anyPeer(Clock clock) {
        return new PeerTrustManager(clock, null);
    }

    /** Accepts this one peer. */
    public static PeerTrustManager forPeer(PeerId expected, Clock clock) {
        return new PeerTrustManager(clock, expected);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        check(chain);
    }

    /** None: a list would only make clients keep their certificate to themselves. */
    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }

    private void check(X509Certificate[] chain) throws CertificateException {
        PeerId peer = PeerCertificateVerifier.verify(chain, clock);
        if (expected != null && !expected.equals(peer)) {
            throw new CertificateException("this is peer " + peer + ", expected peer " + expected);
        }
    }
}
