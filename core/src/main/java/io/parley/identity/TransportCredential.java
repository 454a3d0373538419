package io.parley.identity;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;

/**
 * What a TLS engine needs to prove a peer id for some hours. To be replaced by a new one well before {@code notAfter};
 * connections that stand are not affected by its end.
 *
 * @param key the P-256 private key
 * @param chain the transport certificate, then the identity certificate that signed it
 * @param notAfter when the transport certificate expires
 */
public record TransportCredential(PrivateKey key, List<X509Certificate> chain, Instant notAfter) {
    /** Copies the list. */
    public TransportCredential {
        chain = List.copyOf(chain);
    }

    /** Tells the end and the owner, not the key. */
    @Override
    public String toString() {
        return "TransportCredential[notAfter=" + notAfter + ", issuer="
                + chain.get(0).getIssuerX500Principal().getName() + ']';
    }
}
