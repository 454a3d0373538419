package io.parley.identity;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/**
 * A key and certificates that authenticate a peer in TLS for some hours. It must be replaced well before {@code
 * notAfter}; its expiration does not affect established connections.
 *
 * @param key the P-256 private key
 * @param chain the transport certificate, then the identity certificate, whose key signed it
 * @param notAfter the expiration of the transport certificate
 */
public record TransportCredential(PrivateKey key, List<X509Certificate> chain, Instant notAfter) {
    /** Copies {@code chain}. */
    public TransportCredential {
        chain = List.copyOf(chain);
    }

    /** Returns a text with expiration and issuer, without the key. */
    @Override
    public String toString() {
        return "TransportCredential[notAfter=" + notAfter + ", issuer="
                + chain.get(0).getIssuerX500Principal().getName() + ']';
    }
}
