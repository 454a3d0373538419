package io.parley.identity.internal;

import io.parley.common.internal.TextSanitizer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.security.interfaces.EdECPublicKey;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Verifies certificate chains and returns the peer id that a chain authenticates. A chain is valid if it has exactly two
 * certificates and
 *
 * <ul>
 *   <li>the second, the identity certificate, has an Ed25519 key and is signed by it;
 *   <li>the first, the transport certificate, has a P-256 key, is signed by the identity key, is bound to transport and
 *       to this peer, and is valid for no longer than {@link #MAX_TRANSPORT_LIFETIME};
 *   <li>both are valid at the current time, and neither has an unknown critical extension.
 * </ul>
 *
 * Certification authorities and host names are not used.
 */
public final class PeerCertificateVerifier {
    /** The maximum validity of a transport certificate. It bounds the time for which a stolen key can be used. */
    public static final Duration MAX_TRANSPORT_LIFETIME = Duration.ofDays(8);

    private static final int CHAIN_LENGTH = 2;
    private static final String ED25519_OID = "1.3.101.112";

    private static final int MAX_KNOWN_CHAINS = 1024;

    /** A valid chain: the peer that it authenticates, and the time in which both certificates are valid. */
    private record ValidChain(PeerId peer, Instant notBefore, Instant notAfter) {}

    /**
     * The last valid chains by their hash. A handshake verifies a chain twice, peers reconnect, and a replayed chain must not cost
     * two signatures each time. The result depends on the bytes and the time only, so all peers of this JVM share it.
     */
    private static final Map<ByteBuffer, ValidChain> KNOWN = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteBuffer, ValidChain> eldest) {
            return size() > MAX_KNOWN_CHAINS;
        }
    });

    private PeerCertificateVerifier() {}

    /**
     * Verifies a chain and returns the peer id that it authenticates.
     *
     * @param chain the transport certificate, then the identity certificate
     * @throws CertificateException if the chain is not valid; the message names the fault
     */
    public static PeerId verify(X509Certificate @Nullable [] chain, Clock clock) throws CertificateException {
        try {
            return verifyChain(requireTwo(chain), clock.instant());
        } catch (RuntimeException e) {
            throw malformed(e);
        }
    }

    /**
     * Verifies everything but the two signatures, which take nearly all of the time of {@link #verify}.
     *
     * @throws CertificateException if the chain is not valid; the message names the fault
     */
    static void verifyWithoutSignatures(X509Certificate @Nullable [] chain, Clock clock) throws CertificateException {
        try {
            X509Certificate[] two = requireTwo(chain);
            checkContent(two[0], two[1], clock.instant());
        } catch (RuntimeException e) {
            throw malformed(e);
        }
    }

    /**
     * Returns the result of {@link #authenticate} if the chain of the session was verified lately. This takes some microseconds.
     *
     * @return {@code null} if the chain must be verified
     */
    public static @Nullable PeerId authenticateKnown(SSLSession session, Clock clock) {
        try {
            ValidChain known = KNOWN.get(hash(requireTwo(session.getPeerCertificates())));
            return known != null && isCurrent(known, clock.instant()) ? known.peer : null;
        } catch (SSLPeerUnverifiedException | CertificateException e) {
            return null;
        }
    }

    /** The certificates are untrusted bytes, on which the parser of the JDK may fail with any exception. */
    private static CertificateException malformed(Exception cause) {
        return new CertificateException(
                "certificate chain: malformed: " + TextSanitizer.escape(String.valueOf(cause.getMessage())), cause);
    }

    /**
     * Returns the authenticated id of the remote peer of a TLS session. Must be called after each handshake, even with a
     * {@link PeerTrustManager}: a resumed session bypasses the trust manager, although its certificates may have expired.
     *
     * @throws ParleyException with {@link ErrorCode#IDENTITY_REFUSED} if the remote peer did not authenticate a peer id;
     *     the message names the fault
     */
    public static PeerId authenticate(SSLSession session, Clock clock) {
        try {
            Certificate[] sent = requireTwo(session.getPeerCertificates());
            ValidChain known = KNOWN.get(hash(sent));
            if (known != null && isCurrent(known, clock.instant())) {
                return known.peer; // without parsing
            }
            return verify(new X509Certificate[] {parse(sent[0]), parse(sent[1])}, clock);
        } catch (SSLPeerUnverifiedException e) {
            throw ErrorCode.IDENTITY_REFUSED.exception("the remote peer sent no certificate", e);
        } catch (CertificateException e) {
            throw ErrorCode.IDENTITY_REFUSED.exception(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Returns a copy of a certificate. The session keeps its certificates as long as the connection lives. Those of BoringSSL
     * are bytes until they are used; parsed, the chain takes 7 KiB.
     */
    private static X509Certificate parse(Certificate sent) throws CertificateException {
        byte[] encoded = sent.getEncoded();
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(encoded));
        } catch (CertificateException | RuntimeException e) {
            throw malformed(e); // a key of no bytes is an ArrayIndexOutOfBoundsException
        }
    }

    private static <C extends Certificate> C[] requireTwo(C @Nullable [] chain) throws CertificateException {
        if (chain == null || chain.length == 0) {
            throw new CertificateException("the remote peer sent no certificate");
        }
        if (chain.length != CHAIN_LENGTH) {
            throw new CertificateException("certificate chain: " + chain.length
                    + " certificates (expected: 2, transport certificate and identity certificate)");
        }
        return chain;
    }

    private static PeerId verifyChain(X509Certificate[] chain, Instant now) throws CertificateException {
        ByteBuffer hash = hash(chain);
        ValidChain known = KNOWN.get(hash);
        if (known != null && isCurrent(known, now)) {
            return known.peer;
        }
        X509Certificate transport = chain[0];
        X509Certificate identity = chain[1];
        // The cheap checks come first. Each signature takes a tenth of a millisecond.
        PeerId peer = checkContent(transport, identity, now);
        checkSignature(identity, peer, "identity certificate of peer " + peer, "itself");
        checkSignature(transport, peer, "transport certificate of peer " + peer, "the identity key");
        KNOWN.put(
                hash,
                new ValidChain(
                        peer,
                        Collections.max(List.of(notBefore(transport), notBefore(identity))),
                        Collections.min(List.of(notAfter(transport), notAfter(identity)))));
        return peer;
    }

    private static PeerId checkContent(X509Certificate transport, X509Certificate identity, Instant now)
            throws CertificateException {
        PeerId peer = checkIdentity(identity, now);
        checkTransport(transport, identity, peer, now);
        return peer;
    }

    private static ByteBuffer hash(Certificate[] chain) throws CertificateException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Certificate certificate : chain) {
                byte[] encoded = certificate.getEncoded();
                digest.update(ByteBuffer.allocate(Integer.BYTES)
                        .putInt(encoded.length)
                        .flip());
                digest.update(encoded);
            }
            return ByteBuffer.wrap(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is required of every Java platform", e);
        }
    }

    private static boolean isCurrent(ValidChain known, Instant now) {
        return !now.isBefore(known.notBefore) && !now.isAfter(known.notAfter);
    }

    private static PeerId checkIdentity(X509Certificate identity, Instant now) throws CertificateException {
        String subject = "identity certificate";
        if (!(identity.getPublicKey() instanceof EdECPublicKey key)
                || !"Ed25519".equals(key.getParams().getName())) {
            throw new CertificateException(
                    subject + ": key algorithm " + identity.getPublicKey().getAlgorithm() + " (expected: Ed25519)");
        }
        PeerId peer = PeerId.of(key);
        if (!DataSignatures.isKey(peer)) {
            throw new CertificateException(subject + ": key of small order, which any peer could sign for: " + peer);
        }
        subject = "identity certificate of peer " + peer;
        checkSignatureAlgorithm(identity, subject);
        if (!identity.getIssuerX500Principal().equals(identity.getSubjectX500Principal())) {
            throw new CertificateException(subject + ": " + unexpectedIssuer(identity));
        }
        checkUsable(identity, now, subject);
        return peer;
    }

    /** The name in a certificate of a remote peer is any text. */
    private static String unexpectedIssuer(X509Certificate certificate) {
        return "unexpected issuer "
                + TextSanitizer.escape(certificate.getIssuerX500Principal().toString());
    }

    private static void checkTransport(X509Certificate leaf, X509Certificate identity, PeerId peer, Instant now)
            throws CertificateException {
        String subject = "transport certificate of peer " + peer;
        if (!P256.isKey(leaf.getPublicKey())) {
            throw new CertificateException(subject + ": key algorithm "
                    + leaf.getPublicKey().getAlgorithm() + " (expected: EC on curve P-256)");
        }
        checkSignatureAlgorithm(leaf, subject);
        if (!leaf.getIssuerX500Principal().equals(identity.getSubjectX500Principal())) {
            throw new CertificateException(subject + ": " + unexpectedIssuer(leaf));
        }
        if (leaf.getBasicConstraints() != -1) {
            throw new CertificateException(subject + ": is a certificate of a certification authority");
        }
        if (!TransportBindingExtension.isPresent(leaf)) {
            throw new CertificateException(
                    subject + ": not issued for transport; extension " + TransportBindingExtension.OID + " is missing");
        }
        if (!TransportBindingExtension.binds(leaf, peer)) {
            throw new CertificateException(subject + ": bound to another peer or purpose");
        }
        Duration lifetime = Duration.between(
                leaf.getNotBefore().toInstant(), leaf.getNotAfter().toInstant());
        if (lifetime.compareTo(MAX_TRANSPORT_LIFETIME) > 0) {
            throw new CertificateException(
                    subject + ": validity " + lifetime + " (expected: <= " + MAX_TRANSPORT_LIFETIME + ")");
        }
        checkUsable(leaf, now, subject);
    }

    private static void checkSignatureAlgorithm(X509Certificate certificate, String subject)
            throws CertificateException {
        if (!ED25519_OID.equals(certificate.getSigAlgOID())) {
            throw new CertificateException(
                    subject + ": signature algorithm " + certificate.getSigAlgName() + " (expected: Ed25519)");
        }
    }

    private static void checkSignature(X509Certificate certificate, PeerId signer, String subject, String expected)
            throws CertificateException {
        if (!DataSignatures.verifyPlain(signer, certificate.getTBSCertificate(), certificate.getSignature())) {
            throw new CertificateException(subject + ": not signed by " + expected);
        }
    }

    private static void checkUsable(X509Certificate certificate, Instant now, String subject)
            throws CertificateException {
        Instant notBefore = notBefore(certificate);
        Instant notAfter = notAfter(certificate);
        if (now.isBefore(notBefore)) {
            throw new CertificateNotYetValidException(
                    subject + ": not valid before " + notBefore + "; the local time is " + now + "; check both clocks");
        }
        if (now.isAfter(notAfter)) {
            throw new CertificateExpiredException(
                    subject + ": expired at " + notAfter + "; the local time is " + now + "; check both clocks");
        }
        if (certificate.hasUnsupportedCriticalExtension()) {
            throw new CertificateException(subject + ": unknown critical extension");
        }
    }

    private static Instant notBefore(X509Certificate certificate) {
        return certificate.getNotBefore().toInstant();
    }

    private static Instant notAfter(X509Certificate certificate) {
        return certificate.getNotAfter().toInstant();
    }
}
