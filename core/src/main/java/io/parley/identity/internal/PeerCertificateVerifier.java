package io.parley.identity.internal;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.security.interfaces.EdECPublicKey;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which peer a certificate chain proves. A chain is accepted when it has exactly two certificates and
 *
 * <ul>
 *   <li>the second, the identity certificate, has an Ed25519 key and is signed by it;
 *   <li>the first, the transport certificate, has a P-256 key, is signed by the identity key, is bound to transport and
 *       to this peer, and is valid for no longer than {@link #MAX_TRANSPORT_LIFETIME};
 *   <li>both are valid now, and neither has a critical extension that is unknown.
 * </ul>
 *
 * No certification authority and no host name has a say.
 */
public final class PeerCertificateVerifier {
    /** The longest time from begin to end of a transport certificate: a stolen key is of use no longer than that. */
    public static final Duration MAX_TRANSPORT_LIFETIME = Duration.ofDays(8);

    private static final int CHAIN_LENGTH = 2;
    private static final String ED25519_OID = "1.3.101.112";

    private PeerCertificateVerifier() {}

    /**
     * The peer that this chain proves.
     *
     * @param chain the transport certificate, then the identity certificate
     * @throws CertificateException when it proves none; the message names the fault
     */
    public static PeerId verify(X509Certificate @Nullable [] chain, Clock clock) throws CertificateException {
        try {
            return verifyChain(chain, clock.instant());
        } catch (RuntimeException e) {
            // Certificates are bytes of a stranger: a parser that stumbles over them late has refused them.
            throw new CertificateException("the certificate chain is malformed: " + e.getMessage(), e);
        }
    }

    /**
     * The peer at the other end of a TLS session. To be called after each handshake, also when a {@link PeerTrustManager}
     * was in use: a resumed session does not ask the trust manager again, although its certificates may have expired.
     *
     * @throws ParleyException with {@link ErrorCode#IDENTITY_REFUSED} when the other side proved no peer id; the message
     *     names the fault
     */
    public static PeerId authenticate(SSLSession session, Clock clock) {
        try {
            Certificate[] sent = session.getPeerCertificates();
            X509Certificate[] chain = new X509Certificate[sent.length];
            for (int i = 0; i < sent.length; i++) {
                if (!(sent[i] instanceof X509Certificate certificate)) {
                    throw new CertificateException("the other side sent a " + sent[i].getType() + " certificate");
                }
                chain[i] = certificate;
            }
            return verify(chain, clock);
        } catch (SSLPeerUnverifiedException e) {
            throw ErrorCode.IDENTITY_REFUSED.exception("the other side sent no certificate", e);
        } catch (CertificateException e) {
            throw ErrorCode.IDENTITY_REFUSED.exception(String.valueOf(e.getMessage()), e);
        }
    }

    private static PeerId verifyChain(X509Certificate @Nullable [] chain, Instant now) throws CertificateException {
        if (chain == null || chain.length == 0) {
            throw new CertificateException("the other side sent no certificate");
        }
        if (chain.length != CHAIN_LENGTH) {
            throw new CertificateException("the other side sent " + chain.length
                    + " certificates (expected: 2, its transport certificate and its identity certificate)");
        }
        PeerId peer = verifyIdentity(chain[1], now);
        verifyTransport(chain[0], chain[1], peer, now);
        return peer;
    }

    private static PeerId verifyIdentity(X509Certificate identity, Instant now) throws CertificateException {
        String what = "the identity certificate";
        if (!(identity.getPublicKey() instanceof EdECPublicKey key)
                || !"Ed25519".equals(key.getParams().getName())) {
            throw new CertificateException(
                    what + " has a key of " + identity.getPublicKey().getAlgorithm() + " (expected: Ed25519)");
        }
        PeerId peer = PeerId.of(key);
        if (!DataSignatures.isKey(peer)) {
            throw new CertificateException(what + " has a key that anybody could sign for: " + peer);
        }
        what = "the identity certificate of peer " + peer;
        verifySignature(identity, peer, what, "itself");
        if (!identity.getIssuerX500Principal().equals(identity.getSubjectX500Principal())) {
            throw new CertificateException(what + " names another issuer: " + identity.getIssuerX500Principal());
        }
        verifyUsable(identity, now, what);
        return peer;
    }

    private static void verifyTransport(X509Certificate leaf, X509Certificate identity, PeerId peer, Instant now)
            throws CertificateException {
        String what = "the transport certificate of peer " + peer;
        if (!P256.isKey(leaf.getPublicKey())) {
            throw new CertificateException(
                    what + " has a key of " + leaf.getPublicKey().getAlgorithm() + " (expected: EC on curve P-256)");
        }
        verifySignature(leaf, peer, what, "the identity key");
        if (!leaf.getIssuerX500Principal().equals(identity.getSubjectX500Principal())) {
            throw new CertificateException(what + " names another issuer: " + leaf.getIssuerX500Principal());
        }
        if (leaf.getBasicConstraints() != -1) {
            throw new CertificateException(what + " is one of a certification authority");
        }
        if (!TransportBindingExtension.isPresent(leaf)) {
            throw new CertificateException(
                    what + " is not meant for transport: extension " + TransportBindingExtension.OID + " is missing");
        }
        if (!TransportBindingExtension.binds(leaf, peer)) {
            throw new CertificateException(what + " is bound to another peer or purpose");
        }
        Duration lifetime = Duration.between(
                leaf.getNotBefore().toInstant(), leaf.getNotAfter().toInstant());
        if (lifetime.compareTo(MAX_TRANSPORT_LIFETIME) > 0) {
            throw new CertificateException(
                    what + " is valid for " + lifetime + " (expected: <= " + MAX_TRANSPORT_LIFETIME + ")");
        }
        verifyUsable(leaf, now, what);
    }

    private static void verifySignature(X509Certificate certificate, PeerId signer, String what, String expected)
            throws CertificateException {
        if (!ED25519_OID.equals(certificate.getSigAlgOID())) {
            throw new CertificateException(
                    what + " is signed with " + certificate.getSigAlgName() + " (expected: Ed25519)");
        }
        try {
            certificate.verify(signer.publicKey());
        } catch (GeneralSecurityException e) {
            throw new CertificateException(what + " is not signed by " + expected, e);
        }
    }

    private static void verifyUsable(X509Certificate certificate, Instant now, String what)
            throws CertificateException {
        Instant notBefore = certificate.getNotBefore().toInstant();
        Instant notAfter = certificate.getNotAfter().toInstant();
        if (now.isBefore(notBefore)) {
            throw new CertificateNotYetValidException(
                    what + " is not valid before " + notBefore + ", and here it is " + now + ": is a clock wrong?");
        }
        if (now.isAfter(notAfter)) {
            throw new CertificateExpiredException(
                    what + " expired at " + notAfter + ", and here it is " + now + ": is a clock wrong?");
        }
        if (certificate.hasUnsupportedCriticalExtension()) {
            throw new CertificateException(what + " has a critical extension that is not known here");
        }
    }
}
