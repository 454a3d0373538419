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
 * Accepts the remote peer of a TLS connection, client or server, if {@link PeerCertificateVerifier} accepts its
 * certificates. Certification authorities and host names are not used. The TLS engine must not check host names either
 * (endpoint identification algorithm {@code null}).
 *
 * <p>This class extends the <i>extended</i> trust manager because the JDK wraps a plain trust manager in additional checks,
 * which do not apply to peers.
 */
public final class PeerTrustManager extends X509ExtendedTrustManager {
    private final Clock clock;
    private final @Nullable PeerId expected;

    private final boolean signatures;

    private PeerTrustManager(Clock clock, @Nullable PeerId expected, boolean signatures) {
        this.clock = clock;
        this.expected = expected;
        this.signatures = signatures;
    }

    /** Returns a trust manager that accepts each authenticated peer; {@link PeerCertificateVerifier#authenticate} returns its id. */
    public static PeerTrustManager anyPeer(Clock clock) {
        return new PeerTrustManager(clock, null, true);
    }

    /**
     * Returns a trust manager that does not verify signatures, because that takes too long for an event loop. Its user must call
     * {@link PeerCertificateVerifier#authenticate} after the handshake, before it trusts the remote peer.
     */
    public static PeerTrustManager anyPeerWithoutSignatures(Clock clock) {
        return new PeerTrustManager(clock, null, false);
    }

    /** Returns a trust manager that accepts one peer. */
    public static PeerTrustManager forPeer(PeerId expected, Clock clock) {
        return new PeerTrustManager(clock, expected, true);
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

    /** Returns an empty array, because a list of issuers would make clients omit their certificate. */
    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }

    private void check(X509Certificate[] chain) throws CertificateException {
        if (!signatures) {
            PeerCertificateVerifier.verifyWithoutSignatures(chain, clock);
            return;
        }
        PeerId peer = PeerCertificateVerifier.verify(chain, clock);
        if (expected != null && !expected.equals(peer)) {
            throw new CertificateException("peer id: " + peer + " (expected: " + expected + ")");
        }
    }
}
